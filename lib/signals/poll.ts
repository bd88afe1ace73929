import { sha256base64url } from "#sha256";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { WaitUntil } from "../kernel/refreshing-cache.ts";
import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import { fetchJson } from "../protocol/http/fetch-json.ts";
import { parseCompactJws } from "../protocol/oauth/jws.ts";
import { type ReceiverPorts, recordRefusal, takeEvent } from "./receive.ts";
import type { EventSource } from "./security-event.ts";
import { SetError } from "./set-error.ts";

/** Events that are fetched at once: each is at most 16 KiB, and an answer 1 MiB. */
const AT_ONCE = 50;
/** Requests of one look: what is left by then is fetched the next time. */
const MOST_ROUNDS = 20;
/** Milliseconds for one request. */
const TIMEOUT = 10_000;
/** How long one look may begin further requests, milliseconds: a function of Lambda ends after a minute. */
const LOOKING = 20_000;

export interface PollPorts extends ReceiverPorts {
  readonly logger: Logger;
}

/** What the transmitter is told of the events that it gave (RFC 8936 §2.2). */
interface Told {
  readonly ack: readonly string[];
  readonly setErrs: Readonly<Record<string, { readonly err: string; readonly description: string }>>;
}

const NOTHING: Told = { ack: [], setErrs: {} };

/**
 * Fetches what a transmitter has, until there is no more (RFC 8936). An event is acknowledged after what it brings about is durable;
 * one that cannot be taken now is not told about, and comes again. Never rejects.
 */
export async function pollSource(
  source: EventSource,
  fetch: () => typeof globalThis.fetch,
  ports: PollPorts,
  waitUntil: WaitUntil,
): Promise<void> {
  const { connector } = source.settings;
  const until = ports.clock.now() + LOOKING;
  try {
    if (!(await isOurs(source, ports))) return;
    let told = NOTHING;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { sets, isMore } = await request(source, fetch(), told);
      told = await takeAll(sets, source, ports, waitUntil);
      const isNothingTold = told.ack.length === 0 && Object.keys(told.setErrs).length === 0;
      if (isNothingTold) return;
      if (!isMore || ports.clock.now() > until) break;
    }
    await request(source, fetch(), told, 0);
  } catch (cause) {
    ports.logger.warn("security events not fetched", { connector, cause: causeOf(cause) });
  }
}

/** Of several processes one fetches in each interval. */
function isOurs({ settings: { connector, poll } }: EventSource, { clock, stores }: PollPorts): Promise<boolean> {
  const now = clock.now();
  const interval = poll?.interval ?? 1;
  const turn = JSON.stringify([connector, poll?.url, Math.floor(now / interval)]);
  return stores.singleUse.consume("signal-poll", sha256base64url(turn), now + interval);
}

interface Fetched {
  readonly sets: JsonObject;
  readonly isMore: boolean;
}

/** @param maxEvents 0: the transmitter is told, and gives none */
async function request(
  { settings: { poll, token = "" } }: EventSource,
  fetch: typeof globalThis.fetch,
  told: Told,
  maxEvents = AT_ONCE,
): Promise<Fetched> {
  const { status, body } = await fetchJson(fetch, poll?.url ?? "", {
    method: "POST",
    timeout: TIMEOUT,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ maxEvents, returnImmediately: true, ...told }),
  });
  if (status !== 200 && status !== 202 && status !== 204) throw new Error(`the transmitter answered ${status}`);
  const { sets, moreAvailable } = body ?? {};
  return { sets: isJsonObject(sets) ? sets : {}, isMore: moreAvailable === true };
}

/** One after the other, as what they say may follow from one another. */
async function takeAll(sets: JsonObject, source: EventSource, ports: PollPorts, waitUntil: WaitUntil): Promise<Told> {
  const ack: string[] = [];
  const refused: [jti: string, error: { readonly err: string; readonly description: string }][] = [];
  for (const [jti, token] of Object.entries(sets).slice(0, AT_ONCE)) {
    const error = await take(jti, token, source, ports, waitUntil);
    if (error === undefined) ack.push(jti);
    else if (error !== "later") refused.push([jti, { err: error.code, description: error.message }]);
  }
  return { ack, setErrs: Object.fromEntries(refused) };
}

async function take(
  jti: string,
  token: unknown,
  source: EventSource,
  ports: PollPorts,
  waitUntil: WaitUntil,
): Promise<SetError | "later" | undefined> {
  const { logger } = ports;
  try {
    if (typeof token !== "string" || parseCompactJws(token)?.payload.jti !== jti) {
      const error = new SetError("invalid_request", "The event has another jti than the one that it is given under.");
      await recordRefusal(error, ports, { logger, waitUntil }, source.settings.connector);
      return error;
    }
    await takeEvent(token, source, ports, { logger, waitUntil });
    return undefined;
  } catch (error) {
    if (error instanceof SetError) return error;
    logger.warn("security event not taken", { connector: source.settings.connector, cause: causeOf(error) });
    return "later";
  }
}
