import type { Context } from "hono";
import {
  createApiClient as create,
  listApiClients as list,
  deleteApiClient as remove,
  showApiClient as show,
  updateApiClient as update,
} from "../../lib/api-clients/administration.ts";
import { representApiClient } from "../../lib/api-clients/representation.ts";
import { searchApiClients } from "../../lib/api-clients/search.ts";
import type { ApiClient, ApiClientList } from "../../lib/management/schemas/api-clients.ts";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { Endpoint, Env } from "../env.ts";
import { administrator, authenticatePerson } from "../middleware/caller.ts";
import { clientIdParameter, clientTarget } from "../middleware/client-target.ts";
import { answerJson, readJsonBody } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";
import { pageQuery, shownPage } from "../middleware/list-page.ts";
import { booleanQuery, textQuery } from "../middleware/query.ts";
import { entityTag } from "../middleware/revision.ts";

/** GET: the organization's API clients, or those with the text of `search`, oldest first, in pages. */
export const listApiClients: Endpoint = (dependencies) => async (c) => {
  const { organizationId } = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, ["search", "limit", "cursor"]);
  const search = textQuery(c, "search");
  const page =
    search === undefined
      ? await list(dependencies, organizationId, pageQuery(c))
      : await searchApiClients(dependencies.stores.apiClients, organizationId, search, pageQuery(c));
  return answerJson<ApiClientList>(c, shownPage(c, page, representApiClient));
};

/** POST `{name, description?, scopes?, resources?}`: 201 with the client, which has no key pairs yet. */
export const createApiClient: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "owner");
  refuseUnknownQuery(c, []);
  const record = await create(dependencies, administrator(caller, c), await readJsonBody(c));
  c.header("Location", `/api/v1/api-clients/${record.clientId}`);
  return answerApiClient(c, record, 201);
};

export const showApiClient: Endpoint = (dependencies) => async (c) => {
  const { organizationId } = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  return answerApiClient(c, await show(dependencies, organizationId, clientIdParameter(c)));
};

/** PATCH with a merge patch (RFC 7396) of the editable fields. */
export const updateApiClient: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "owner");
  refuseUnknownQuery(c, []);
  const record = await update(dependencies, administrator(caller, c), clientTarget(c), await readJsonBody(c));
  return answerApiClient(c, record);
};

/** DELETE, with `?revokeTokens=true` for ending issued tokens too. */
export const deleteApiClient: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "owner");
  refuseUnknownQuery(c, ["revokeTokens"]);
  const revokeTokens = booleanQuery(c, "revokeTokens");
  await remove(dependencies, administrator(caller, c), clientTarget(c), { revokeTokens });
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
};

function answerApiClient(c: Context<Env>, record: ApiClientRecord, status: 200 | 201 = 200): Response {
  c.header("ETag", entityTag(record.revision));
  return answerJson<ApiClient>(c, representApiClient(record), status);
}
