import { eitherSignal } from "../kernel/abort.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { encodeHeader } from "../protocol/mcp/header-value.ts";
import { metaOf } from "../protocol/mcp/message.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from "../protocol/mcp/meta.ts";
import { nameOf } from "../protocol/mcp/named-by.ts";
import { STATELESS_REVISIONS } from "../protocol/mcp/revisions.ts";
import type { AgentSide } from "./agent-side.ts";
import type { UpstreamAnswer } from "./answer.ts";
import type { Deadline } from "./deadline.ts";
import { deliver, type Listener, SILENT } from "./deliver.ts";
import { ownQuestion } from "./own-question.ts";
import { UpstreamRefusal } from "./refusal.ts";
import { type UpstreamRequest, wireTarget } from "./spoken-upstream.ts";
import type { Upstream } from "./upstream.ts";
import { postMessage } from "./wire/post-message.ts";
import { brokenOff } from "./wire/upstream-failure.ts";

/**
 * A request that tells everything about itself (MCP 2026-07-28, Transports, Streamable HTTP); `params._meta` is complete.
 * Closing its answer cancels it.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function requestStateless(
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const { id, method, params } = request;
  const { signal, forget } = eitherSignal(upstream.signal, deadline.signal);
  const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  try {
    const answer = await postMessage(text, wireTarget(upstream, statelessHeaders(request), signal));
    if (answer.kind === "refused") throw new UpstreamRefusal(answer);
    if (answer.kind === "accepted") throw brokenOff();
    return await deliver(answer.messages, request, upstream, listener, deadline);
  } finally {
    forget();
  }
}

/** Parameters with the `_meta` that a request of the stateless generation has, of an agent that said all of it before. */
export function withEnvelope(params: JsonObject, agent: AgentSide): JsonObject {
  const { clientInfo, clientCapabilities, logLevel } = agent;
  return {
    ...params,
    _meta: {
      ...metaOf(params),
      [PROTOCOL_VERSION]: STATELESS_REVISIONS[0],
      [CLIENT_INFO]: clientInfo,
      [CLIENT_CAPABILITIES]: clientCapabilities,
      ...(logLevel !== undefined && { [LOG_LEVEL]: logLevel }),
    },
  };
}

/** What the headers repeat of a request (MCP 2026-07-28, Transports, Standard Request Headers), made of the body that goes out. */
export function statelessHeaders({
  method,
  params,
  paramHeaders = {},
}: Pick<UpstreamRequest, "method" | "params" | "paramHeaders">): Readonly<Record<string, string>> {
  const version = metaOf(params)[PROTOCOL_VERSION];
  const name = nameOf(method, params);
  const repeated = Object.entries(paramHeaders).map(([header, value]) => [header.toLowerCase(), encodeHeader(value)]);
  return {
    ...Object.fromEntries(repeated),
    "mcp-protocol-version": typeof version === "string" ? version : STATELESS_REVISIONS[0],
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}

/**
 * What an upstream says of itself: the result of `server/discover` (MCP 2026-07-28).
 *
 * @throws UpstreamRefusal of one that does not know the method; UpstreamFailure
 */
export async function discover(upstream: Upstream, deadline: Deadline): Promise<JsonObject> {
  const request = {
    id: "discover",
    method: "server/discover",
    params: withEnvelope({}, upstream.agent),
    rules: {},
  };
  const own = ownQuestion(upstream, deadline, "The server/discover result");
  const { forwarded } = await requestStateless(request, own.upstream, SILENT, own.deadline);
  deadline.extend();
  if (forwarded.kind === "written") throw brokenOff();
  const { result, error }: JsonObject = JSON.parse(forwarded.text);
  if (!isJsonObject(result)) throw new UpstreamRefusal({ status: 200, error });
  upstream.shared.introductions.learn(upstream.app.name, upstream.principal, "stateless", result);
  return result;
}
