import { managementDocument } from "../../lib/management/document.ts";
import { documentAnswer } from "../../lib/oauth/cacheable-document.ts";
import type { Endpoint } from "../env.ts";
import { consoleCookieName } from "../middleware/session-cookie.ts";

/** GET: this API in OpenAPI 3.1, for anybody. */
export const showDocument: Endpoint = (dependencies) => {
  const { publicURL, session } = dependencies.configuration().configuration;
  let document: object | undefined;
  return (c) => {
    document ??= managementDocument({ publicURL, cookieName: consoleCookieName(session) });
    return documentAnswer(document, c.req.header("If-None-Match"));
  };
};
