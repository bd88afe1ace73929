import type { Context } from "hono";
import {
  type ConsentParties,
  revokeConsent,
  shownConsent,
} from "../../lib/authorization-server/consent-administration.ts";
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
    (dependencies) =>
    async (c, { id, organizationId }) => {
      const { requestId } = c.get("request");
      await revokeConsent(dependencies, { id, organizationId, requestId }, parties(c));
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
