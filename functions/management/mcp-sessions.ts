import type { McpSessionList } from "../../lib/management/schemas/mcp-sessions.ts";
import { listSessions, terminateSession } from "../../lib/mcp/sessions/administration.ts";
import { representSession } from "../../lib/mcp/sessions/representation.ts";
import type { Endpoint } from "../env.ts";
import { authenticateCaller } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";
import { pageQuery, shownPage } from "../middleware/list-page.ts";

/** GET: live sessions of the organization's agents, newest first, in pages. */
export const listMcpSessions: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticateCaller(dependencies, c, { role: "member", scope: "sessions:read" });
  refuseUnknownQuery(c, ["limit", "cursor"]);
  const page = await listSessions(dependencies, caller.organizationId, pageQuery(c));
  return answerJson<McpSessionList>(c, shownPage(c, page, representSession));
};

/** DELETE: 204 once the session is over, wherever it is used. */
export const endMcpSession: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticateCaller(dependencies, c, { role: "owner", scope: "sessions:write" });
  refuseUnknownQuery(c, []);
  const { id, organizationId } = caller;
  const administrator = { id, organizationId, requestId: c.get("request").requestId };
  await terminateSession(dependencies, administrator, c.req.param("sessionId") ?? "");
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
};
