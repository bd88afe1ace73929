import type { Context } from "hono";
import {
  createApiClient as create,
  listApiClients as list,
  deleteApiClient as remove,
  showApiClient as show,
  updateApiClient as update,
} from "../../lib/api-clients/administration.ts";
import type { API_CLIENT_OPERATIONS } from "../../lib/management/operations/api-clients.ts";
import { representApiClient } from "../../lib/management/representations/api-clients.ts";
import type { ApiClient, ApiClientList } from "../../lib/management/schemas/api-clients.ts";
import { API_CLIENT_SORTS, type ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { Env } from "../env.ts";
import { administrator } from "../middleware/caller.ts";
import { clientIdParameter, clientTarget, entityTag } from "../middleware/change-target.ts";
import { answerJson, answerNothing, readJsonBody } from "../middleware/json-body.ts";
import { pageQuery, shownPage } from "../middleware/list-page.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { booleanQuery, choiceQuery, refuseUnknownQuery, textQuery } from "../middleware/query.ts";

export const API_CLIENT_ENDPOINTS: Endpoints<typeof API_CLIENT_OPERATIONS> = {
  /** GET: the organization's API clients, or those with the text of `search`, newest first or as `sort` says, in pages. */
  listApiClients:
    (dependencies) =>
    async (c, { organizationId }) => {
      refuseUnknownQuery(c, ["search", "sort", "limit", "cursor"]);
      const search = textQuery(c, "search")?.toLowerCase();
      const sort = choiceQuery(c, "sort", API_CLIENT_SORTS);
      const page = await list(dependencies, organizationId, {
        ...pageQuery(c),
        ...(sort !== undefined && { sort }),
        ...(search !== undefined && { search }),
      });
      return answerJson<ApiClientList>(c, {
        ...shownPage(c, page, representApiClient),
        ...(page.total !== undefined && { total: page.total }),
        ...(page.searchedTo !== undefined && { searchedTo: new Date(page.searchedTo).toISOString() }),
      });
    },

  /** POST `{name, description?, scopes?, resources?}`: 201 with the client, which has no key pairs yet. */
  createApiClient: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const record = await create(dependencies, administrator(caller, c), await readJsonBody(c));
    c.header("Location", `/api/v1/api-clients/${record.clientId}`);
    return answerApiClient(c, record, 201);
  },

  showApiClient:
    (dependencies) =>
    async (c, { organizationId }) => {
      refuseUnknownQuery(c, []);
      return answerApiClient(c, await show(dependencies, organizationId, clientIdParameter(c)));
    },

  /** PATCH with a merge patch (RFC 7396) of the editable fields. */
  changeApiClient: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const record = await update(dependencies, administrator(caller, c), clientTarget(c), await readJsonBody(c));
    return answerApiClient(c, record);
  },

  /** DELETE, with `?revokeTokens=true` for ending issued tokens too. */
  deleteApiClient: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["revokeTokens"]);
    const revokeTokens = booleanQuery(c, "revokeTokens");
    await remove(dependencies, administrator(caller, c), clientTarget(c), { revokeTokens });
    return answerNothing(c);
  },
};

function answerApiClient(c: Context<Env>, record: ApiClientRecord, status: 200 | 201 = 200): Response {
  c.header("ETag", entityTag(record.revision));
  return answerJson<ApiClient>(c, representApiClient(record), status);
}
