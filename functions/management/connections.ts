import type { Context } from "hono";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import {
  type ConnectionAdministrator,
  type Disconnect,
  organizationConnections,
  ownConnections,
  takeBackConnection,
} from "../../lib/connections/administration.ts";
import { createVault, type Vault } from "../../lib/connections/vault.ts";
import { rewrapConnections, vaultKeyUses } from "../../lib/connections/vault-rotation.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import type { CONNECTION_OPERATIONS } from "../../lib/management/operations/connections.ts";
import { representConnection } from "../../lib/management/representations/connections.ts";
import type { ConnectionPage, VaultKeyList, VaultRewrap } from "../../lib/management/schemas/connections.ts";
import type { ConnectionFacts } from "../../lib/stores/connections.ts";
import type { Env } from "../env.ts";
import { administrator, type PersonCaller } from "../middleware/caller.ts";
import { answerJson, answerNothing, readEmptyBody } from "../middleware/json-body.ts";
import { pageQuery, shownCursor, shownPage } from "../middleware/list-page.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { booleanQuery, invalidQuery, refuseUnknownQuery, textQuery } from "../middleware/query.ts";

export const CONNECTION_ENDPOINTS: Endpoints<typeof CONNECTION_OPERATIONS> = {
  /** GET: the person's own, newest first; with `everyone` those of the organization, in pages. */
  listConnections: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["everyone", "limit", "cursor"]);
    const page = pageQuery(c);
    const administrator = connectionAdministrator(caller);
    const found = booleanQuery(c, "everyone")
      ? await organizationConnections(dependencies, administrator, page)
      : { items: await ownConnections(dependencies, administrator) };
    const { configuration } = dependencies.configuration();
    const represent = (facts: ConnectionFacts) => representConnection(configuration, facts);
    return answerJson<ConnectionPage>(c, shownPage(c, found, represent));
  },

  /** DELETE with `person`, `app` and `agent`: 204 once no call uses it any more. */
  deleteConnection:
    (dependencies, { accounts }) =>
    async (c, caller) => {
      refuseUnknownQuery(c, ["person", "app", "agent"]);
      const named = {
        connectionId: c.req.param("connectionId") ?? "",
        person: required(c, "person"),
        app: required(c, "app"),
        agent: textQuery(c, "agent") ?? "",
      };
      const request = c.get("request");
      const by = { ...connectionAdministrator(caller), ...administrator(caller, c) };
      const disconnect: Disconnect | undefined =
        accounts && ((key, connectionId) => accounts.connections.disconnect(key, connectionId, caller.id, request));
      await takeBackConnection(dependencies, by, named, disconnect);
      return answerNothing(c);
    },

  /** GET: the key that encrypts first. `Need`: owner of the first organization. */
  listVaultKeys: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const vault = await vaultFor(dependencies, caller);
    return answerJson<VaultKeyList>(c, { items: [...(await vaultKeyUses(dependencies, vault))] });
  },

  /** POST: a page of them. `Need`: owner of the first organization. */
  rewrapConnections: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["limit", "cursor"]);
    await readEmptyBody(c);
    const vault = await vaultFor(dependencies, caller);
    const { nextCursor, ...done } = await rewrapConnections(dependencies, vault, pageQuery(c));
    return answerJson<VaultRewrap>(c, { ...done, ...shownCursor(c, nextCursor) });
  },
};

/** @throws ProblemError `forbidden` for another organization than the first, `not_found` without keys */
async function vaultFor(
  { stores, configuration, random }: Dependencies,
  { organizationId }: PersonCaller,
): Promise<Vault> {
  const first = await stores.directory.firstOrganization();
  if (first?.organizationId !== organizationId) {
    throw new ProblemError("forbidden", "The vault's keys are for the first organization of the instance.");
  }
  const { vaultKeys, oidcProvider } = configuration().configuration;
  if (vaultKeys.length === 0) throw new ProblemError("not_found", "The configuration has no `vault.keys`.");
  return createVault(vaultKeys, oidcProvider?.region ?? "", random);
}

function connectionAdministrator({ id, organizationId, role }: PersonCaller): ConnectionAdministrator {
  return { id, organizationId, isOwner: role === "owner" };
}

function required(c: Context<Env>, name: string): string {
  const value = textQuery(c, name);
  if (value === undefined) throw invalidQuery(name, "is missing");
  return value;
}
