import type { Context } from "hono";
import type { Consent } from "../../lib/management/schemas/consents.ts";
import { type ConsentParties, revokeConsent, shownConsent } from "../../lib/oauth/consent-administration.ts";
import type { Endpoint, Env } from "../env.ts";
import { authenticatePerson } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";
import { invalidQuery, textQuery } from "../middleware/query.ts";

/** GET: what a person allowed a client. */
export const showConsent: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "member");
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
};

/** DELETE: 204 once nothing that rests on it is of use any more. */
export const deleteConsent: Endpoint = (dependencies) => async (c) => {
  const { id, organizationId } = await authenticatePerson(dependencies, c, "owner");
  const { requestId } = c.get("request");
  await revokeConsent(dependencies, { id, organizationId, requestId }, parties(c));
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
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
