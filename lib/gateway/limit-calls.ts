import type { LimitSubject, Limits } from "../limits/limits.ts";
import { fullRefusal, type LimitRefusal, refusalOf } from "../limits/refusal.ts";
import { GatewayError } from "./gateway-error.ts";
import type { Identity } from "./identity.ts";

export interface LimitPorts {
  readonly limits: Limits;
  /** Of the tokens that this instance issues; undefined where it issues none. */
  readonly ownIssuer: string | undefined;
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

/** Counts a call that was decided on. Undefined: it may go on. */
export async function limitCall(
  target: LimitedTarget,
  given: unknown,
  sender: LimitedSender,
  { limits, ownIssuer }: LimitPorts,
): Promise<GatewayError | undefined> {
  let length: number | undefined;
  const bytes = () => {
    length ??= JSON.stringify(given ?? {}).length;
    return Math.max(1, length);
  };
  const counted = limits.takeCall({ ...limitSubject(sender, ownIssuer), ...target, bytes });
  if (counted === undefined) return undefined;
  const refusal = refusalOf(counted instanceof Promise ? await counted : counted);
  return refusal && limited(refusal);
}

/**
 * Room for a call among those that run in this instance, until the function that it returns is called.
 *
 * @throws GatewayError `limited`
 */
export function enterCall(target: LimitedTarget, sender: LimitedSender, { limits, ownIssuer }: LimitPorts): () => void {
  const entered = limits.enter({ ...limitSubject(sender, ownIssuer), ...target });
  if (typeof entered === "function") return entered;
  throw limited(fullRefusal(entered));
}

export function limited(refusal: LimitRefusal): GatewayError {
  return new GatewayError("limited", refusal.message, { limit: refusal });
}
