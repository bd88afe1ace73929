import { managementDocument } from "#management-document";
import { documentAnswer } from "../../lib/authorization-server/cacheable-document.ts";
import { consoleCookieName } from "../../lib/directory/session-cookie.ts";
import type { DOCUMENT_OPERATIONS } from "../../lib/management/operations/document.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";

export const DOCUMENT_ENDPOINTS: Endpoints<typeof DOCUMENT_OPERATIONS> = {
  /** GET: this API in OpenAPI 3.1, for anybody. */
  showOpenApiDocument: (dependencies) => {
    const { publicURL, session } = dependencies.configuration().configuration;
    const instance = { publicURL, cookieName: consoleCookieName(session) };
    let document: object | undefined;
    return async (c) => {
      document ??= await managementDocument(instance, dependencies.consoleAssets);
      return documentAnswer(document, c.req.header("If-None-Match"));
    };
  },
};
