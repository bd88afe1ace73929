import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConnectionFacts, ConnectionRecord, ConnectionState } from "../../lib/stores/connections.ts";
import { connectionsConfiguration } from "../behaviour/connections/configuration.ts";
import {
  type ConnectionsUnderTest,
  linkIn,
  NOTE,
  type PersonsAgent,
  startConnections,
  type Told,
} from "../behaviour/connections/fixture.ts";
import { workerVariables } from "../runtimes/workerd.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { NOT_STARTED, type RegionsOptions, type RunningRegions } from "../support/runtime.ts";
import { type BareWorkerd, startBareWorkerd } from "./support/bare-workerd.ts";
import { bundledWorker } from "./support/bundle.ts";
import { compiledConfiguration } from "./support/configuration.ts";
import { type Fault, type FaultyProduct, faultyProduct } from "./support/faulty.ts";
import { openFront } from "./support/front.ts";

/** Seconds that the access tokens of the provider live. */
const LIFETIME = 600;
/** Milliseconds before its end, when a token is renewed: it serves until after the lease. */
const LIVING = 55_000;

/**
 * - `intent`: the intent is in the object's store, and nothing was sent.
 * - `request`: the provider has the request, and has done nothing.
 * - `rotated`: the provider has done it, and no answer came.
 * - `outcome`: the answer came, and is written nowhere.
 */
type Point = "intent" | "request" | "rotated" | "outcome";

/** What an agent is told: the answer of its call with the former token, or a new one, or that its person has to connect again. */
type Heard = "old" | "new" | "reconnect";

interface Row {
  readonly kind: "strict" | "lenient";
  /** When the lease is over and the former token still lives, and when both are over. */
  readonly living: Heard;
  readonly ended: Heard;
  readonly state: ConnectionState;
  /** Requests with the spent token by then, with that of the killed process. */
  readonly requests: number;
}

/** As `test/connections/killed.slow.test.ts` has it for processes on Node. */
const POINTS: Readonly<Record<Point, readonly Row[]>> = {
  intent: [
    { kind: "strict", living: "old", ended: "new", state: "connected", requests: 1 },
    { kind: "lenient", living: "new", ended: "new", state: "connected", requests: 1 },
  ],
  request: [
    { kind: "strict", living: "old", ended: "new", state: "connected", requests: 2 },
    { kind: "lenient", living: "new", ended: "new", state: "connected", requests: 2 },
  ],
  rotated: [
    { kind: "strict", living: "old", ended: "reconnect", state: "reconnect", requests: 2 },
    { kind: "lenient", living: "new", ended: "new", state: "connected", requests: 2 },
  ],
  outcome: [
    { kind: "strict", living: "old", ended: "reconnect", state: "reconnect", requests: 2 },
    { kind: "lenient", living: "new", ended: "new", state: "connected", requests: 2 },
  ],
};

/** Where calls between the Worker and its objects stand, for all of a point. */
const STANDING: Partial<Record<Point, Fault>> = {
  intent: { binding: "TOKEN_SHARDS", method: "beginRefresh", from: "worker", how: "stand" },
  outcome: { binding: "TOKEN_SHARDS", method: "settleRefresh", from: "worker", how: "hang" },
};

/** A REST API at a provider that takes a refresh token once, and an MCP server at one with a minute of grace. */
const TOOLS = { strict: NOTE, lenient: { name: "desk_whoami", arguments: {} } } as const;
const CONFIGURATION = withLenientProvider(connectionsConfiguration);

interface Person {
  readonly login: string;
  readonly row: Row;
  readonly agent: PersonsAgent;
  readonly facts: ConnectionFacts;
}

describe("68. workerd that is killed while it renews connections, and starts again on the same Durable Objects", () => {
  let it: ConnectionsUnderTest;
  let workerd: BareWorkerd;
  let product: FaultyProduct;
  const people = new Map<Point | "waiting", readonly Person[]>();
  beforeAll(async () => {
    it = await startConnections({ name: "workerd", start }, CONFIGURATION);
    it.hub.lifetime = LIFETIME;
    const { organizationId = "" } = (await product.stores().directory.firstOrganization()) ?? {};
    const connected: [Point | "waiting", Omit<Person, "facts">][] = [];
    for (const [point, rows] of Object.entries(POINTS) as [Point, readonly Row[]][]) {
      for (const row of rows) connected.push([point, await connect(`${point}-${row.kind}`, row)]);
    }
    connected.push(["waiting", await connect("waiting-strict", POINTS.request[0] as Row)]);
    const { items } = await product.stores().connections.connectionsIn(organizationId, { limit: 100 });
    for (const [point, person] of connected) {
      const facts = items.find(({ account }) => account?.label === person.login) as ConnectionFacts;
      people.set(point, [...(people.get(point) ?? []), { ...person, facts }]);
    }
  });
  afterAll(() => it.stop());

  async function start(options: RegionsOptions): Promise<RunningRegions> {
    const configuration = await compiledConfiguration(options.configuration);
    const bundle = await bundledWorker(configuration.path, "test/infra-cloudflare/support/faulty-worker.js");
    const [port, front] = await Promise.all([freePort(), openFront()]);
    const variables = { ...workerVariables("us", front.url, options), PEER_URL: front.url };
    workerd = await startBareWorkerd({ port, bundle: bundle.path, variables });
    front.forwardTo(port);
    await Promise.all([configuration.remove(), bundle.remove()]);
    product = faultyProduct((path, init) => fetch(`http://127.0.0.1:${port}${path}`, init));
    return {
      us: { region: "us", url: front.url, logs: workerd.logs },
      uk: NOT_STARTED,
      stop: async () => {
        await front.close();
        await workerd.stop();
      },
    };
  }

  async function connect(login: string, row: Row): Promise<Omit<Person, "facts">> {
    if (row.kind === "lenient") it.hub.lenient.add(login);
    const agent = await it.agentOf(login);
    await it.walk(linkIn(await agent.ask("tools/call", TOOLS[row.kind])), login);
    return { login, row, agent };
  }

  const recordOf = async ({ facts }: Person) =>
    (await product.stores().connections.connection(facts)) as ConnectionRecord;
  const endOf = ({ facts }: Person) => facts.expiresAt ?? 0;
  const ask = ({ agent, row }: Person) => agent.ask("tools/call", TOOLS[row.kind]);

  /** What the agent of a person is told, and which token the call carried. */
  async function heard(person: Person): Promise<Heard> {
    const { result } = await ask(person);
    const said = result.content[0]?.text ?? "";
    if (result.isError === true) {
      expect(said).toContain("again");
      expect(linkIn({ result } as Told)).toContain("/connect/");
      return "reconnect";
    }
    expect(said).toContain(person.login);
    return it.hub.arrived.at(-1) === oldOf.get(person.login) ? "old" : "new";
  }
  const oldOf = new Map<string, string>();

  /** Calls of all people of a point stand there, so many milliseconds before their tokens end, and the process ends. Nobody is answered. */
  async function killedAt(point: Point, some: readonly Person[], left: number): Promise<void> {
    const calls: Promise<Told>[] = [];
    for (const person of some) {
      await product.setClock(endOf(person) - 2 * LIVING);
      await heard(person);
      oldOf.set(person.login, it.hub.arrived.at(-1) ?? "");
      await product.setClock(endOf(person) - left);
      const fault = STANDING[point];
      await product.set(...(fault === undefined ? [] : [fault]));
      await product.counted();
      if (point === "request") it.hub.silent.set(person.login, "before");
      if (point === "rotated") it.hub.silent.set(person.login, "after");
      const call = ask(person);
      call.catch(() => undefined);
      calls.push(call);
      await standsAt(point, person);
      await product.set();
    }
    await workerd.kill();
    for (const end of await Promise.allSettled(calls)) expect(end.status).toBe("rejected");
    await workerd.restart();
  }

  async function standsAt(point: Point, person: Person): Promise<void> {
    await eventually(
      () => recordOf(person),
      ({ state }) => state === "refreshing",
    );
    const sent = () => Promise.resolve(it.hub.spentOf(person.login).length);
    if (point === "intent") return expect(await sent()).toBe(0);
    await eventually(sent, (count) => count === 1);
    if (point !== "outcome") return;
    await calledOften("TOKEN_SHARDS.settleRefresh", 1);
  }

  async function calledOften(call: string, often: number): Promise<void> {
    let seen = 0;
    await eventually(
      async () => {
        seen += (await product.counted()).calls.filter((name) => name === call).length;
        return seen;
      },
      (calls) => calls >= often,
    );
  }

  test.each(Object.keys(POINTS) as Point[])("at %s: what agents hear is what the table says", async (point) => {
    const some = people.get(point) ?? [];
    await killedAt(point, some, LIVING);
    for (const person of some) {
      const { login, row } = person;
      const { hub } = it;
      const { leaseUntil = 0, state } = await recordOf(person);
      expect(state).toBe("refreshing");
      const before = hub.spentOf(login).length;
      // While the lease runs nobody sends the token again.
      await product.setClock(leaseUntil - 10_000);
      expect(await heard(person)).toBe("old");
      expect(hub.spentOf(login)).toHaveLength(before);
      await product.setClock(leaseUntil + 1);
      expect([row.kind, await heard(person)]).toEqual([row.kind, row.living]);
      await product.setClock(endOf(person) + 1);
      expect([row.kind, await heard(person)]).toEqual([row.kind, row.ended]);
      expect((await recordOf(person)).state).toBe(row.state);
      // One answered request ended it, whatever it said: nobody sends the token again.
      await product.setClock(endOf(person) + 60_000);
      expect(await heard(person)).toBe(row.ended);
      expect(hub.spentOf(login)).toEqual(Array.from({ length: row.requests }, () => hub.spentOf(login)[0]));
    }
  });

  test("a call whose token has ended waits for the lease of the killed process, and sends the token once", async () => {
    const some = people.get("waiting") ?? [];
    await killedAt("request", some, -1);
    const [person] = some as [Person];
    const { leaseUntil = 0 } = await recordOf(person);
    await product.setClock(leaseUntil - 20_000);
    await product.counted();
    const call = heard(person);
    // One look for the call, and then each because of the lease.
    await calledOften("TOKEN_SHARDS.connection", 4);
    expect(it.hub.spentOf(person.login)).toHaveLength(1);
    await product.setClock(leaseUntil + 1);
    expect(await call).toBe("new");
    expect(it.hub.spentOf(person.login)).toHaveLength(2);
  });
});

function withLenientProvider(configuration: string): string {
  const [, hub = ""] = /connectors:\n( {2}- name: hub\n(?: {4}.*\n)+)/.exec(configuration) ?? [];
  const lenient = hub.replace("name: hub", "name: lenient").trimEnd();
  return configuration
    .replace(hub, `${hub}${lenient}\n    refresh: { grace: 1m }\n`)
    .replace(/(name: desk\n[\s\S]*?connector: )hub/, "$1lenient");
}
