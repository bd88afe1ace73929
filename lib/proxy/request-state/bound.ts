import { sha256base64url } from "../../encoding.ts";
import { canonicalJson } from "../../gateway/arguments-digest.ts";
import type { Upstream, UpstreamRequest } from "../upstream.ts";

/** Members of `params` that differ between a request and its repetition (MCP 2026-07-28, Multi Round-Trip Requests). */
const OF_ONE_ROUND = ["_meta", "inputResponses", "requestState"];

/** What a state belongs to, as one text: whoever repeats the request is the same, at the same upstream, with the same arguments. */
export function boundTo({ method, params }: UpstreamRequest, { app, principal }: Upstream): string {
  const asked = Object.fromEntries(Object.entries(params).filter(([name]) => !OF_ONE_ROUND.includes(name)));
  return sha256base64url(canonicalJson([principal, app.name, app.url, method, asked]));
}
