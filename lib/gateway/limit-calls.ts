import type { RateLimit } from "../kernel/rate-limit.ts";
import type { CallEndpoint, LimitStage, LimitSubject, Limits } from "../limits/limits.ts";
import { fullRefusal, type LimitRefusal, refusalOf } from "../limits/refusal.ts";
import { sourceKey } from "../net/source.ts";
import { GatewayError } from "./gateway-error.ts";
import { callerKey, type Sender } from "./identity.ts";

export interface LimitPorts {
  readonly limits: Limits;
  /** Bounds the denied calls of one caller (D170). */
  readonly deniedCalls: Pick<RateLimit, "take">;
  /** Of the tokens that this instance issues; undefined where it issues none. */
  readonly ownIssuer: string | undefined;
}

/** Denied calls of one caller at one instance. */
export const DENIED_CALLS = { capacity: 1_000, perSecond: 100 };

const TOO_MANY_DENIED: LimitRefusal = {
  status: 429,
  name: "denied calls",
  message: "Too many of your calls were denied. Try again in 1 s.",
  retryAfter: 1,
};

/** Requests for web apps of one address by nobody who is known, at one instance: a page asks for some hundred files (D170). */
export const UNKNOWN_VISITORS = { capacity: 20_000, perSecond: 5_000 };

const TOO_MANY_UNKNOWN: LimitRefusal = {
  status: 429,
  name: "requests without sign-in",
  message: "Too many requests of nobody who is signed in come from this address. Try again in 1 s.",
  retryAfter: 1,
};

/** Counts a call or request that is denied. Throws `limited` where the caller has too many: then that is all there is to say of it. */
export function countDenied(sender: Sender, { deniedCalls }: Pick<LimitPorts, "deniedCalls">): void {
  if (!deniedCalls.take(callerKey(sender))) throw limited(TOO_MANY_DENIED);
}

/** What is called. */
interface LimitedTarget {
  readonly app: string;
  /** The name that policies see; absent: it is no tool. */
  readonly tool?: string;
}

export function limitSubject({ identity, request }: Sender, ownIssuer: string | undefined): LimitSubject {
  const address = request.remoteAddress;
  if (identity === undefined) return { address };
  const { organizationId, issuer, agent, user } = identity;
  return {
    address,
    organization: organizationId,
    // A person in a browser has the name that this instance gave them.
    ...(agent !== undefined && issuer !== ownIssuer && { issuer }),
    client: agent?.clientID,
    person: user?.sub,
  };
}

/** What counts requests for web apps. */
export interface WebLimitPorts extends Pick<LimitPorts, "limits" | "ownIssuer"> {
  /** Bounds the requests of an address by nobody who is known. */
  readonly unknownVisitors: Pick<RateLimit, "take">;
}

/**
 * Counts a request for a web app before it is decided on: by its address (`anonymous`), before anybody is asked for, then by who
 * sends it (`known`). The refusal, or undefined: it is let through.
 */
export async function limitWebRequest(
  stage: LimitStage,
  sender: Sender,
  { limits, ownIssuer, unknownVisitors }: WebLimitPorts,
): Promise<LimitRefusal | undefined> {
  const isUnknown = stage === "known" && sender.identity === undefined;
  if (isUnknown && !unknownVisitors.take(sourceKey(sender.request.remoteAddress))) return TOO_MANY_UNKNOWN;
  const counted = limits.takeRequest("web", stage, limitSubject(sender, ownIssuer));
  return refusalOf(counted instanceof Promise ? await counted : counted);
}

/** What of a request for a web app is counted. */
export interface WebBody {
  readonly app: { readonly name: string; readonly maxBody: number };
  readonly hasBody: boolean;
  /** Bytes, as the client declared them; absent: it did not. Then it counts as the longest that may come. */
  readonly length?: number;
}

/** Counts a request for a web app that was decided on: the refusal, or what gives back what it took, for one that is not carried. */
export async function countWebRequest(
  { app, hasBody, length = app.maxBody }: WebBody,
  sender: Sender,
  ports: Pick<LimitPorts, "limits" | "ownIssuer">,
): Promise<GatewayError | (() => void)> {
  return counted({ app: app.name }, () => (hasBody ? length : 0), "web", sender, ports);
}

/** Counts a call that was decided on: the refusal, or what gives back what it took, for one that is not made after all. */
export async function countCall(
  target: LimitedTarget,
  given: unknown,
  sender: Sender,
  ports: LimitPorts,
): Promise<GatewayError | (() => void)> {
  let length: number | undefined;
  const bytes = () => {
    length ??= new TextEncoder().encode(JSON.stringify(given ?? {})).byteLength;
    return Math.max(1, length);
  };
  return counted(target, bytes, "mcp", sender, ports);
}

async function counted(
  target: LimitedTarget,
  bytes: () => number,
  endpoint: CallEndpoint,
  sender: Sender,
  { limits, ownIssuer }: Pick<LimitPorts, "limits" | "ownIssuer">,
): Promise<GatewayError | (() => void)> {
  const taken = limits.takeCall({ ...limitSubject(sender, ownIssuer), ...target, bytes }, endpoint);
  if (taken === undefined) return nothing;
  const verdict = taken instanceof Promise ? await taken : taken;
  if (verdict.outcome === "granted") return verdict.giveBack;
  const refusal = refusalOf(verdict);
  return refusal === undefined ? nothing : limited(refusal);
}

function nothing(): void {
  // No limit counts it.
}

/**
 * Room for a call among those that run in this instance, until the function that it returns is called.
 *
 * @throws GatewayError `limited`
 */
export async function enterCall(
  target: LimitedTarget,
  sender: Sender,
  { limits, ownIssuer }: LimitPorts,
): Promise<() => void> {
  const room = limits.enter({ ...limitSubject(sender, ownIssuer), ...target });
  const entered = room instanceof Promise ? await room : room;
  if (typeof entered === "function") return entered;
  throw limited(fullRefusal(entered));
}

export function limited(refusal: LimitRefusal): GatewayError {
  return new GatewayError("limited", refusal.message, { limit: refusal });
}
