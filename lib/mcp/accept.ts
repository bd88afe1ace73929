import { essence } from "../http/media-type.ts";

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
  const types = (request.headers.get("accept") ?? "*/*").split(",").map((range) => essence(range));
  const takes = (...ranges: readonly string[]) => ranges.some((range) => types.includes(range));
  return {
    json: takes("application/json", "application/*", "*/*"),
    stream: takes("text/event-stream", "text/*", "*/*"),
  };
}
