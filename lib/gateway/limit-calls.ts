import type { RateLimit } from "../kernel/rate-limit.ts";
import type { LimitSubject, Limits } from "../limits/limits.ts";
import { fullRefusal, type LimitRefusal, refusalOf } from "../limits/refusal.ts";
import { GatewayError } from "./gateway-error.ts";
import { callerKey, type Identity, type Sender } from "./identity.ts";

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

/** Counts a call that is denied. Throws `limited` where the caller has too many: then that is all there is to say of it. */
export function countDenied(sender: Sender, { deniedCalls }: LimitPorts): void {
  if (!deniedCalls.take(callerKey(sender))) throw limited(TOO_MANY_DENIED);
}

/** Who sends a request, as limits ask. */
interface LimitedSender {
  readonly identity: Identity | undefined;
  readonly request: { readonly remoteAddress: string | undefined };
}

/** What is called. */
interface LimitedTarget {
  readonly app: string;
  /** The name that policies see; absent: it is no tool. */
  readonly tool?: string;
}

export function limitSubject({ identity, request }: LimitedSender, ownIssuer: string | undefined): LimitSubject {
  const address = request.remoteAddress;
  if (identity === undefined) return { address };
  const { organizationId, issuer, agent, user } = identity;
  return {
    address,
    organization: organizationId,
    ...(issuer !== ownIssuer && { issuer }),
    client: agent.clientID,
    person: user?.sub,
  };
}

/** Counts a call that was decided on: the refusal, or what gives back what it took, for one that is not made after all. */
export async function countCall(
  target: LimitedTarget,
  given: unknown,
  sender: LimitedSender,
  { limits, ownIssuer }: LimitPorts,
): Promise<GatewayError | (() => void)> {
  let length: number | undefined;
  const bytes = () => {
    length ??= new TextEncoder().encode(JSON.stringify(given ?? {})).byteLength;
    return Math.max(1, length);
  };
  const counted = limits.takeCall({ ...limitSubject(sender, ownIssuer), ...target, bytes });
  if (counted === undefined) return nothing;
  const verdict = counted instanceof Promise ? await counted : counted;
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
  sender: LimitedSender,
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
