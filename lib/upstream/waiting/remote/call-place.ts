import type { Random } from "../../../kernel/random.ts";
import { causeOf } from "../../../logging/cause.ts";
import type { RequestContext } from "../../../telemetry/request-context.ts";
import { forSession } from "../../across-generations/for-session.ts";
import { rulesOf } from "../../names/rules-of.ts";
import { parseExact } from "../../wire/exact-json.ts";
import { localWaitingCalls } from "../local-calls.ts";
import type { WaitingCallQuota } from "../quota.ts";
import type { Attached, Turn, WaitingCalls } from "../waiting-calls.ts";
import { encodeFrame, type Frame } from "./frames.ts";
import type { Order } from "./orders.ts";
import { type TurnEvent, toldFailure } from "./orders.ts";

/** What a call has where it is made. */
export interface Surroundings extends Pick<RequestContext, "logger" | "waitUntil"> {
  readonly random: Random;
  readonly fetch: typeof globalThis.fetch;
  readonly quota: WaitingCallQuota;
}

/**
 * The place of one call.
 *
 * @param order JSON of an `Order`
 * @param signal aborts when whoever ordered has left; so does leaving the stream
 * @returns frames: events, and the bytes of a long answer, as fast as they are read
 */
export type CallPlace = (order: string, signal: AbortSignal) => ReadableStream<Uint8Array>;

export function callPlace(surroundings: Surroundings): CallPlace {
  const calls = localWaitingCalls(surroundings.random, surroundings.quota);
  let name = "";
  return orderPlace({ ...surroundings, fetchOf: () => surroundings.fetch }, async (order, attached) => {
    const turn = await ordered(calls, name, order, attached);
    if (turn?.kind === "asked") name = turn.name;
    return turn;
  });
}

/** What orders have where they are carried out. */
export interface OrderSurroundings extends Pick<Surroundings, "logger" | "waitUntil"> {
  /** How the upstream of an app is reached. */
  readonly fetchOf: (app: Order["app"]) => typeof globalThis.fetch;
}

/** Where orders come to calls that wait. */
export function orderPlace(
  surroundings: OrderSurroundings,
  carryOut: (order: Order, attached: Attached) => Promise<Turn | undefined>,
): CallPlace {
  return (text, signal) => {
    const order = parseExact(text) as Order;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const reader = follow(writable, signal);
    const logger = surroundings.logger.with({ requestId: order.requestId });
    const attached = attachedTo(order, { ...surroundings, logger }, reader);
    const work = carryOut(order, attached).then(eventOf, (cause: unknown): TurnEvent => {
      const failure = toldFailure(cause);
      if (failure.kind === "defect" && !reader.signal.aborted)
        logger.error("an upstream call failed", { cause: causeOf(cause) });
      return { kind: "failed", failure };
    });
    surroundings.waitUntil(work.then(reader.end));
    return readable;
  };
}

function ordered(
  calls: WaitingCalls,
  name: string,
  { principal, what }: Order,
  attached: Attached,
): Promise<Turn | undefined> {
  if (what.kind === "resume") return calls.resume({ ...what, principal, name }, attached);
  const { app, agent } = attached.upstream;
  const request = forSession({ ...what.request, rules: rulesOf(app, what.request.method) }, agent);
  return calls.start({ principal, request, session: what.session, instance: {} }, attached);
}

function attachedTo(
  { app, agent, requestId, headers, progressToken }: Order,
  { logger, waitUntil, fetchOf }: OrderSurroundings,
  reader: Reader,
): Attached {
  const upstream: Attached["upstream"] = {
    app,
    agent: {
      ...agent,
      generation: "stateless",
      hearsRequests: false,
      relay: (message) => reader.tell({ kind: "notified", message }),
      openAnswer: () => ({ write: (bytes) => reader.write({ kind: "bytes", bytes }), commit: noop, withdraw: noop }),
    },
    request: { requestId, logger, waitUntil },
    fetch: fetchOf(app),
    headers,
    signal: reader.signal,
  };
  // What an upstream asks becomes a question, or is refused, before it comes here.
  return { upstream, listener: { notified: upstream.agent.relay, asked: noop }, progressToken };
}

function eventOf(turn: Turn | undefined): TurnEvent {
  if (turn === undefined) return { kind: "over" };
  if (turn.kind === "asked") return { kind: "asked", question: turn.question };
  if (turn.kind === "crowded") return turn;
  const { facts, forwarded } = turn.answer;
  if (forwarded.kind === "written") return { kind: "answered", facts };
  const { text, status } = forwarded;
  return { kind: "answered", facts, text, ...(status !== undefined && { status }) };
}

/** Whoever ordered, and reads what comes of it. */
interface Reader {
  /** Aborts when it has left. */
  readonly signal: AbortSignal;
  /** Resolves when there is room for more. */
  write(frame: Frame): Promise<void>;
  tell(event: TurnEvent): void;
  end(event: TurnEvent): Promise<void>;
}

/** Events that wait for a reader: it has left without a word. */
const UNREAD = 1_000;

function follow(writable: WritableStream<Uint8Array>, signal: AbortSignal): Reader {
  const writer = writable.getWriter();
  const left = new AbortController();
  writer.closed.catch(() => left.abort());
  const write = (frame: Frame): Promise<void> => writer.write(encodeFrame(frame));
  const tell = (event: TurnEvent): void => {
    if ((writer.desiredSize ?? 0) < -UNREAD) left.abort();
    // Who has left is not told.
    write({ kind: "text", text: JSON.stringify(event) }).catch(noop);
  };
  return {
    signal: AbortSignal.any([signal, left.signal]),
    write,
    tell,
    end: async (event) => {
      tell(event);
      await writer.close().catch(noop);
    },
  };
}

function noop(): void {
  // Nothing is to be done here: what is written becomes an answer, or none, where the agent's request is.
}
