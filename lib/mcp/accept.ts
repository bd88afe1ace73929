import { essence } from "../protocol/http/media-type.ts";

/** The forms in which a client takes an answer. */
export interface AcceptedForms {
  readonly json: boolean;
  readonly stream: boolean;
}

/**
 * What `Accept` names (RFC 9110 §12.5.1). MCP asks clients for both forms; one that names a single one gets that, and
 * one that names none gets either.
 */
export function acceptedForms(request: Request): AcceptedForms {
  const ranges = (request.headers.get("accept") ?? "*/*").split(",");
  const isTaken = new Map(ranges.map((range) => [essence(range), !NOT_ACCEPTABLE.test(range)]));
  // The most specific range counts.
  const takes = (...types: readonly string[]) => types.map((type) => isTaken.get(type)).find(isKnown) ?? false;
  return {
    json: takes("application/json", "application/*", "*/*"),
    stream: takes("text/event-stream", "text/*", "*/*"),
  };
}

/** RFC 9110 §12.4.2: the weight 0. */
const NOT_ACCEPTABLE = /;[ \t]*q=0(?:\.0{0,3})?[ \t]*(?:;|$)/i;

function isKnown(taken: boolean | undefined): taken is boolean {
  return taken !== undefined;
}
