import { type Connection, connection, type Outcome } from "./connection.ts";
import type { MutationContext } from "./draft.ts";
import { refusalText } from "./expectation.ts";
import { generate, type Memory } from "./generate.ts";
import { type WireExpectation, wireExpectation } from "./interpretation.ts";
import { doubt, remember } from "./knowledge.ts";
import { minimize } from "./minimize.ts";
import type { Prng } from "./prng.ts";
import type { Secrets } from "./secrets.ts";
import { fault, jsonObject } from "./verdict.ts";
import { encodeRequest, type WireRequest } from "./wire.ts";
import type { World } from "./world.ts";

/** A request that was answered wrongly. */
export interface Failure {
  readonly fault: string;
  /** As small as it could be made, as bytes. */
  readonly bytes: Buffer;
}

export interface LaneOptions {
  readonly port: number;
  readonly world: World;
  readonly prng: Prng;
  readonly secrets: Secrets;
  /** Called with what became of each request, for example `token 400 invalid_client: expired JWT`. */
  readonly count: (outcome: string) => void;
  /** Asked before each request. */
  readonly goesOn: () => boolean;
}

/** How many of its own tokens and requests a lane remembers. */
const MEMORY = 50;

/** Sends one request after the other until told otherwise, or until an answer is wrong. */
export async function runLane(options: LaneOptions): Promise<Failure | undefined> {
  const { port, world, prng, secrets, count, goesOn } = options;
  const context: MutationContext = { prng, world };
  const memory: Memory = { tokens: [], accepted: [] };
  const server = connection(port);
  try {
    while (goesOn()) {
      const { request, assertion } = generate(context, memory);
      for (const segment of assertion.split(".").slice(1)) secrets.add(segment);
      const expected = wireExpectation(request, world);
      const outcome = await send(server, request, expected, world);
      const wrong = fault(outcome, expected, world);
      if (wrong !== undefined) return await smallest(request, wrong, server, world);
      count(outcomeName(outcome, expected));
      if (isSuccess(outcome)) keep(request, outcome, expected, memory, options);
      else if (!isAnsweredByProduct(outcome)) doubt(expected, world);
    }
    return undefined;
  } finally {
    server.close();
  }
}

async function send(
  server: Connection,
  request: WireRequest,
  { usedId, isHttpDoubtful }: WireExpectation,
  { issuer, sentIds, contestedIds }: World,
): Promise<Outcome> {
  if (usedId !== undefined && sentIds.has(usedId)) contestedIds.add(usedId);
  if (usedId !== undefined) sentIds.add(usedId);
  const outcome = await server.send(encodeRequest(request, new URL(issuer).host), request.method, !isHttpDoubtful);
  if (usedId !== undefined) sentIds.delete(usedId);
  return outcome;
}

async function smallest(request: WireRequest, wrong: string, server: Connection, world: World): Promise<Failure> {
  const kind = wrong.slice(0, 24);
  const found = await minimize(request, async (smaller) => {
    const expected = wireExpectation(smaller, world);
    const outcome = await send(server, smaller, expected, world);
    return fault(outcome, expected, world)?.startsWith(kind) ?? false;
  });
  return { fault: wrong, bytes: encodeRequest(found, new URL(world.issuer).host) };
}

function outcomeName(outcome: Outcome, { endpoint, isHttpDoubtful }: WireExpectation): string {
  const place = endpoint ?? "elsewhere";
  if (outcome.kind !== "answer") return `${place} ${outcome.kind}`;
  const { status, headers, body } = outcome.answer;
  if (isHttpDoubtful && !headers.has("x-request-id")) return `not HTTP ${status}`;
  return status === 400 ? `${place} ${errorText(status, body)}` : `${place} ${status}`;
}

/** With what the OAuth error says, which is one of a few texts. */
function errorText(status: number, body: string): string {
  const { error, error_description } = jsonObject(body) ?? {};
  return typeof error === "string" ? refusalText(status, error, error_description as string | undefined) : `${status}`;
}

function isSuccess(outcome: Outcome): outcome is Outcome & { readonly kind: "answer" } {
  return outcome.kind === "answer" && outcome.answer.status === 200;
}

function isAnsweredByProduct(outcome: Outcome): boolean {
  return outcome.kind === "answer" && outcome.answer.headers.has("x-request-id");
}

/** For the world, for later requests, and for the search in the logs. */
function keep(
  request: WireRequest,
  { answer }: Outcome & { readonly kind: "answer" },
  expected: WireExpectation,
  { tokens, accepted }: Memory,
  { world, secrets }: LaneOptions,
): void {
  const token = remember(answer, expected, world);
  if (accepted.push(request) > MEMORY) accepted.shift();
  if (token === undefined) return;
  secrets.add(token);
  if (tokens.push(token) > MEMORY) tokens.shift();
}
