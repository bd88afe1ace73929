import { representBrowserSession } from "../../lib/directory/representation.ts";
import { endOwnSession, listBrowserSessions as list } from "../../lib/directory/session-administration.ts";
import type { BrowserSessionList } from "../../lib/management/schemas/browser-sessions.ts";
import type { Endpoint } from "../env.ts";
import { administrator, authenticatePerson } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";
import { clearConsoleCookie } from "../middleware/session-cookie.ts";

/** GET: where the person is signed in to the Console, newest first. */
export const listBrowserSessions: Endpoint = (dependencies) => async (c) => {
  const { id, sessionId } = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  const sessions = await list(dependencies, id);
  return answerJson<BrowserSessionList>(c, {
    items: sessions.map((session) => representBrowserSession(session, sessionId)),
  });
};

/** DELETE one of the person's own sessions; the request's own: signs out. */
export const endBrowserSession: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  const sessionId = c.req.param("sessionId") ?? "";
  await endOwnSession(dependencies, administrator(caller, c), sessionId);
  if (sessionId === caller.sessionId) clearConsoleCookie(c, dependencies.configuration().configuration);
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
};
