import type { Context } from "hono";
import {
  type ConsentParties,
  revokeConsent,
  shownConsent,
} from "../../lib/authorization-server/consent-administration.ts";
import {
  type Disconnect,
  organizationsOfApps,
  takeBackConnectionsOfAgent,
} from "../../lib/connections/administration.ts";
import type { CONSENT_OPERATIONS } from "../../lib/management/operations/consents.ts";
import type { Consent } from "../../lib/management/schemas/consents.ts";
import type { Env } from "../env.ts";
import { answerJson, answerNothing } from "../middleware/json-body.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { invalidQuery, refuseUnknownQuery, textQuery } from "../middleware/query.ts";

export const CONSENT_ENDPOINTS: Endpoints<typeof CONSENT_OPERATIONS> = {
  /** GET: what a person allowed a client. */
  showConsent: (dependencies) => async (c, caller) => {
    const { subject, clientId, scopes, resources, createdAt, updatedAt } = await shownConsent(
      dependencies,
      caller,
      parties(c),
    );
    return answerJson<Consent>(c, {
      user: subject,
      client: clientId,
      scopes,
      resources,
      createdAt: new Date(createdAt).toISOString(),
      updatedAt: new Date(updatedAt).toISOString(),
    });
  },

  /** DELETE: 204 once nothing that rests on it is of use any more. */
  revokeConsent:
    (dependencies, { accounts }) =>
    async (c, { id, organizationId }) => {
      const request = c.get("request");
      const { requestId } = request;
      const administrator = { id, organizationId, requestId };
      const named = parties(c);
      const disconnect: Disconnect | undefined =
        accounts && ((key, connectionId) => accounts.connections.disconnect(key, connectionId, id, request));
      await revokeConsent(dependencies, administrator, named, async () => {
        const organizations = await organizationsOfApps(dependencies);
        const ofAgent = { person: named.user, agent: named.client, organizations };
        await takeBackConnectionsOfAgent(dependencies, administrator, ofAgent, disconnect);
      });
      return answerNothing(c);
    },
};

function parties(c: Context<Env>): ConsentParties {
  refuseUnknownQuery(c, ["user", "client"]);
  return { user: required(c, "user"), client: required(c, "client") };
}

function required(c: Context<Env>, name: string): string {
  const value = textQuery(c, name);
  if (value === undefined) throw invalidQuery(name, "is missing");
  return value;
}
