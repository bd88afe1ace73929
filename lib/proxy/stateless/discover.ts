import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Deadline } from "../deadline.ts";
import { SILENT } from "../deliver.ts";
import { ownQuestion } from "../own-question.ts";
import { UpstreamRefusal } from "../refusal.ts";
import type { Upstream } from "../upstream.ts";
import { brokenOff } from "../wire/upstream-failure.ts";
import { withEnvelope } from "./envelope.ts";
import { requestStateless } from "./request.ts";

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
  upstream.shared.introductions.learn(upstream.app.name, upstream.principal, result);
  return result;
}
