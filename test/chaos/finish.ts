import { setTimeout as pause } from "node:timers/promises";
import { askForToken, introspect, sign } from "./client-requests.ts";
import { ownerRequest, successful } from "./exchange.ts";
import type { IssueEvent } from "./judge/audit.ts";
import { livingClients } from "./owner.ts";
import type { Target } from "./target.ts";
import type { KnownClient, KnownKey, World } from "./world.ts";

/** How long what is promised for later may take, milliseconds: caches live a minute, alarms ring after ten seconds. */
const DEADLINE = 120_000;
const POLL = 500;
/** Requests at a time. */
const WIDTH = 24;

/** Each key that should work until it does, and once each that should not. The judge reads the outcome in the journal. */
export async function probeKeys(world: World): Promise<void> {
  const keysOf = (clients: readonly KnownClient[]) =>
    clients.flatMap((client) => client.keys.map((key) => ({ client, key })));
  const living = keysOf(livingClients(world)).filter(({ key }) => !key.revoked);
  await inParallel(living, ({ client, key }) => eventually(() => bringsToken(world, client, key)));
  const dead = keysOf(world.clients).filter(({ client, key }) => client.deleted || key.revoked);
  await inParallel(dead, ({ client, key }) => bringsToken(world, client, key));
}

/** Waits until each acknowledged token has its event and no outbox holds anything, as long as the deadline allows. */
export async function drain(world: World, target: Target): Promise<readonly IssueEvent[]> {
  let events: readonly IssueEvent[] = [];
  await eventually(async () => {
    events = await readIssueEvents(world);
    const seen = new Set(events.map(({ requestId }) => requestId));
    const issued = world.journal.journal.exchanges.filter(({ result }) => result?.token !== undefined);
    return issued.every(({ result }) => seen.has(result?.requestId ?? "")) && (await target.undelivered()) === 0;
  });
  return events;
}

/** Every token that was ever issued, as the resource server sees it. */
export async function introspectAll(world: World): Promise<void> {
  await inParallel([...world.tokens], (token) => introspect(world, token));
}

/** All pages of the management API. */
export async function readIssueEventsByPage(world: World): Promise<readonly IssueEvent[]> {
  const events: ShownEvent[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const from: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = JSON.parse(await read(world, `?type=token.issued&limit=200${from}`, "application/json"));
    events.push(...page.items);
    cursor = page.nextCursor;
  }
  return events.map(issueEvent);
}

interface ShownEvent {
  readonly id: string;
  readonly requestId?: string;
  readonly details?: Readonly<Record<string, string>>;
}

interface Page {
  readonly items: readonly ShownEvent[];
  readonly nextCursor?: string;
}

/** As JSON Lines. */
async function readIssueEvents(world: World): Promise<readonly IssueEvent[]> {
  const text = await read(world, "?type=token.issued", "application/jsonl");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => issueEvent(JSON.parse(line) as ShownEvent));
}

async function read(world: World, query: string, accept: string): Promise<string> {
  const request = ownerRequest(world, "GET", `/audit-events${query}`);
  const outcome = await world.http.send({ ...request, headers: { ...request.headers, Accept: accept } });
  return successful(outcome, "reading audit events").text;
}

function issueEvent({ id, requestId = "", details = {} }: ShownEvent): IssueEvent {
  const { clientId = "", keyPairId = "", tokenId = "" } = details;
  return { id, requestId, client: clientId, key: keyPairId, tokenId };
}

async function bringsToken(world: World, client: KnownClient, key: KnownKey): Promise<boolean> {
  const { exchange } = await askForToken(world, await sign(world, client, key));
  return exchange.status === 200;
}

/** Until it is so or the deadline has passed. What is missing then is for the judge. */
async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + DEADLINE;
  while (!(await isSo()) && Date.now() < end) await pause(POLL);
}

async function inParallel<T>(list: readonly T[], work: (entry: T) => Promise<unknown>): Promise<void> {
  const rest = list.values();
  const lane = async () => {
    for (const entry of rest) await work(entry);
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
}
