import type { Context } from "hono";
import {
  type ConsentParties,
  type DescribedConsent,
  organizationConsents,
  ownConsents,
  revokeConsent,
  shownConsent,
} from "../../lib/authorization-server/consent-administration.ts";
import {
  type Disconnect,
  organizationsOfApps,
  takeBackConnectionsOfAgent,
} from "../../lib/connections/administration.ts";
import type { CONSENT_OPERATIONS } from "../../lib/management/operations/consents.ts";
import type { ConnectedAgent, ConnectedAgentPage, Consent } from "../../lib/management/schemas/consents.ts";
import type { ConsentRecord } from "../../lib/stores/grants.ts";
import type { Env } from "../env.ts";
import { administrator } from "../middleware/caller.ts";
import { answerJson, answerNothing } from "../middleware/json-body.ts";
import { pageQuery, shownPage } from "../middleware/list-page.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { booleanQuery, invalidQuery, refuseUnknownQuery, textQuery } from "../middleware/query.ts";

export const CONSENT_ENDPOINTS: Endpoints<typeof CONSENT_OPERATIONS> = {
  /** GET: what a person allowed a client. */
  showConsent: (dependencies) => async (c, caller) => {
    const consent = await shownConsent(dependencies, caller, parties(c));
    return answerJson<Consent>(c, representConsent(consent));
  },

  /** DELETE: 204 once nothing that rests on it is of use any more. */
  revokeConsent:
    (dependencies, { accounts }) =>
    async (c, caller) => {
      const request = c.get("request");
      const by = { ...administrator(caller, c), isOwner: caller.role === "owner" };
      const named = parties(c);
      const disconnect: Disconnect | undefined =
        accounts && ((key, connectionId) => accounts.connections.disconnect(key, connectionId, by.id, request));
      await revokeConsent(dependencies, by, named, async () => {
        const organizations = await organizationsOfApps(dependencies);
        const ofAgent = { person: named.user, agent: named.client, organizations };
        await takeBackConnectionsOfAgent(dependencies, by, ofAgent, disconnect);
      });
      return answerNothing(c);
    },

  /** GET: the person's own, newest first; with `everyone` those of the organization, in pages. */
  listConnectedAgents: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["everyone", "limit", "cursor"]);
    const page = pageQuery(c);
    const found = booleanQuery(c, "everyone")
      ? await organizationConsents(dependencies, { ...caller, isOwner: caller.role === "owner" }, page)
      : { items: await ownConsents(dependencies, caller) };
    return answerJson<ConnectedAgentPage>(c, shownPage(c, found, representAgent));
  },
};

function representConsent({ subject: user, clientId: client, scopes, resources, ...times }: ConsentRecord): Consent {
  const [createdAt, updatedAt] = [textOf(times.createdAt), textOf(times.updatedAt)];
  return { user, client, scopes, resources, createdAt, updatedAt };
}

function representAgent({ name, hosts, lastUsedAt, subjectName, ...consent }: DescribedConsent): ConnectedAgent {
  return {
    ...representConsent(consent),
    ...(subjectName !== undefined && { userName: subjectName }),
    ...(name !== undefined && { name }),
    hosts,
    ...(lastUsedAt !== undefined && { lastUsedAt: textOf(lastUsedAt) }),
  };
}

function textOf(time: number): string {
  return new Date(time).toISOString();
}

function parties(c: Context<Env>): ConsentParties {
  refuseUnknownQuery(c, ["user", "client"]);
  return { user: required(c, "user"), client: required(c, "client") };
}

function required(c: Context<Env>, name: string): string {
  const value = textQuery(c, name);
  if (value === undefined) throw invalidQuery(name, "is missing");
  return value;
}
