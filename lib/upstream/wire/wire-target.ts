import { mayHaveArrived, networkFailure } from "../../net/failure.ts";
import type { AnswerInPieces } from "../../net/outbound.ts";
import { aborted, unanswered, unreachable } from "./upstream-failure.ts";
import type { OnMalformed } from "./upstream-message.ts";

/** How an upstream is reached for one exchange. */
export interface WireTarget {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  /** All but `Accept` and `Content-Type`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the exchange, also while its answer is read. */
  readonly signal: AbortSignal;
  readonly onMalformed?: OnMalformed;
}

/**
 * The answer, whatever its status.
 *
 * @param headers by names in lower case; they win over those of the target
 * @throws {UpstreamFailure} `unreachable`, `unanswered`, `aborted`
 */
export async function send(
  init: Pick<RequestInit, "method" | "body">,
  headers: Readonly<Record<string, string>>,
  target: WireTarget,
): Promise<Response & AnswerInPieces> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(target.headers)) all[name.toLowerCase()] = value;
  try {
    const { fetch, url, signal } = target;
    // A redirect could lead anywhere; the operator named one address.
    return await fetch(url, { ...init, headers: Object.assign(all, headers), redirect: "manual", signal });
  } catch (error) {
    if (target.signal.aborted) throw aborted();
    const failure = networkFailure(error);
    throw mayHaveArrived(error) ? unanswered(failure) : unreachable(failure);
  }
}
