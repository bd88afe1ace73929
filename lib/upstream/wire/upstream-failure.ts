import type { NetworkFailure } from "../../net/failure.ts";

/** What was wrong with an upstream's answer, or why there was none. */
export type UpstreamFailureReason =
  /** No connection came about, so that nothing was carried out. */
  | "unreachable"
  /** No answer began, and the request may have arrived. */
  | "unanswered"
  /** HTTP 3xx; the operator named one address. */
  | "redirect"
  /** Neither JSON nor an event stream: a page, a file. */
  | "not_mcp"
  /** Bytes that are no JSON, or JSON that is no JSON-RPC message. */
  | "broken_json"
  /** It began and did not come to its end. */
  | "broken_off"
  | "too_large"
  /** It begins sessions of a revision that we do not speak. */
  | "other_revision"
  /** It does not tell what it has, and what it did not tell is not asked for. */
  | "not_listed"
  /** Its result asks for input, in a revision that has no such results. */
  | "input_in_session"
  /** An administrator stopped the app or the server. */
  | "stopped"
  /** We ended it: the time was over, or the agent gave up. */
  | "aborted";

/** The message is for agents and operators: it quotes nothing that the upstream wrote. */
export class UpstreamFailure extends Error {
  readonly reason: UpstreamFailureReason;
  /** For the log: the code or the name of what the runtime reported. */
  readonly networkCause: string | undefined;

  constructor(reason: UpstreamFailureReason, message: string, networkCause?: string) {
    super(message);
    this.name = "UpstreamFailure";
    this.reason = reason;
    this.networkCause = networkCause;
  }
}

export function unreachable({ why, cause }: NetworkFailure): UpstreamFailure {
  const message = `The upstream could not be reached${why === undefined ? "" : `: ${why}`}.`;
  return new UpstreamFailure("unreachable", message, cause);
}

export function unanswered({ cause }: NetworkFailure): UpstreamFailure {
  return new UpstreamFailure("unanswered", "The connection to the upstream broke off before an answer came.", cause);
}

export function brokenJson(problem: string): UpstreamFailure {
  return new UpstreamFailure("broken_json", `The upstream's message is not accepted: ${problem}.`);
}

export function brokenOff(networkCause?: string): UpstreamFailure {
  return new UpstreamFailure("broken_off", "The upstream's answer broke off before it was complete.", networkCause);
}

export function aborted(): UpstreamFailure {
  return new UpstreamFailure("aborted", "The request to the upstream was given up.");
}

export function tooLarge(what: string, limit: number): UpstreamFailure {
  return new UpstreamFailure("too_large", `${what} of the upstream is longer than ${limit} bytes and was not read.`);
}
