import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { rulesTogether } from "../../tool-rules/server-rules.ts";
import type { UpstreamAnswer } from "../answer.ts";
import type { Deadline } from "../deadline.ts";
import type { Listener } from "../deliver.ts";
import { messageRulesOf, wrappedInputRequests } from "../names/rules-of.ts";
import type { UpstreamRequest } from "../spoken-upstream.ts";
import { requestStateless } from "../stateless-request.ts";
import type { Upstream } from "../upstream.ts";
import { parseExact } from "../wire/exact-json.ts";
import { rewriteText } from "../wire/json-rewriter.ts";
import type { RewriteRules } from "../wire/rewrite-rules.ts";
import { INPUT_REQUIRED, withWholeInput } from "./held-answer.ts";
import { boundTo, InvalidRequestState, openState, sealState } from "./sealed-state.ts";

/**
 * A request of an agent without session at an upstream without. Where the upstream asks for input, the agent gets its state
 * sealed, and brings it back with the request's repetition (checklist 30).
 *
 * @throws InvalidRequestState; UpstreamRefusal; UpstreamFailure
 */
export async function requestWithState(
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const params = await withOpenState(request, upstream);
  const answer = await withWholeInput(upstream, (holding) =>
    requestStateless({ ...request, params }, holding, listener, deadline),
  );
  const { forwarded, facts } = answer;
  if (facts.resultType !== INPUT_REQUIRED || forwarded.kind !== "message") return answer;
  return { forwarded: { ...forwarded, text: await sealedText(forwarded.text, request, upstream) }, facts };
}

async function withOpenState(request: UpstreamRequest, upstream: Upstream): Promise<JsonObject> {
  const { params } = request;
  if (params.requestState === undefined) return params;
  const opened = await openState(params.requestState, boundTo(request, upstream), upstream.shared);
  if (opened.kind !== "upstream") throw new InvalidRequestState();
  return { ...params, requestState: opened.state };
}

async function sealedText(text: string, request: UpstreamRequest, upstream: Upstream): Promise<string> {
  const isRuled = rulesTogether(upstream.app.rules) !== undefined;
  const { result } = (isRuled ? parseExact(text) : JSON.parse(text)) as JsonObject;
  const { inputRequests, requestState: state } = isJsonObject(result) ? result : {};
  const replace = isJsonObject(inputRequests) && !isRuled ? inputRules(inputRequests, upstream) : [];
  const ruled =
    isJsonObject(inputRequests) && isRuled
      ? [{ path: ["result", "inputRequests"], json: JSON.stringify(wrappedInputRequests(inputRequests, upstream.app)) }]
      : [];
  if (state === undefined) return rewriteText(text, { replace, set: ruled });
  // What is no text is none of ours to judge, and comes to nothing when it comes back.
  const bound = boundTo(request, upstream);
  const sealed = await sealState({ kind: "upstream", state: String(state) }, bound, upstream.shared);
  const set = [...ruled, { path: ["result", "requestState"], json: JSON.stringify(sealed) }];
  return rewriteText(text, { replace, set });
}

/** URIs in what the agent is asked, by the names that it knows. */
function inputRules(inputRequests: JsonObject, { app }: Upstream): NonNullable<RewriteRules["replace"]> {
  if (app.namespace === "") return [];
  return Object.entries(inputRequests).flatMap(([key, asked]) => {
    const method = isJsonObject(asked) && typeof asked.method === "string" ? asked.method : "";
    const { replace = [] } = messageRulesOf(app, method);
    return replace.map((rule) => ({ ...rule, path: ["result", "inputRequests", key, ...rule.path] }));
  });
}
