import { showApiClient } from "../../api-clients/administration.ts";
import { hasClientIdForm } from "../../api-clients/client-event.ts";
import { othersGrants } from "../../api-clients/grantable.ts";
import { organizationOf } from "../../authorization-server/clients/find-client.ts";
import type { AuthorizationServerPorts } from "../../authorization-server/ports.ts";
import { OPENID_SCOPES } from "../../config/app-configuration.ts";
import type { Configuration } from "../../config/configuration.ts";
import { connectsAccounts } from "../../config/oauth-features.ts";
import { type Fields, readFields, textField, textListField } from "../../kernel/fields.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { ProblemError } from "../../kernel/problem.ts";
import type { Stores } from "../../stores/stores.ts";
import type { OrganizationOf } from "../organization.ts";
import { agentsOfClient } from "../trial.ts";
import { type ClaimingClient, claimsOfClient } from "./client-claims.ts";
import { explainCall } from "./explain-call.ts";
import type { Explanation } from "./explanation.ts";
import type { ExplainPorts } from "./without-store.ts";

/** What an instance explains by: that of the gateway in use. */
export interface OrganizationExplainPorts extends AuthorizationServerPorts, Pick<ExplainPorts, "fetch"> {
  readonly stores: AuthorizationServerPorts["stores"] & Pick<Stores, "connections">;
  readonly gateway: Required<Pick<ExplainPorts, "policies" | "instanceStops">> &
    Pick<ExplainPorts, "pins"> & { readonly organizationOf: OrganizationOf };
}

/** What would be decided, and what the caller's token would say. */
export interface OrganizationExplanation {
  readonly claims: JsonObject;
  readonly explanation: Explanation;
}

/**
 * Explains a call of a tool of the organization's apps, with the configuration and the stops in use, from `{tool, arguments?}` and who calls:
 * `{clientId, person?, scopes?}`, a client of the organization, or `{claims}` of any token. Tools of other organizations are none.
 *
 * @throws ProblemError `invalid_body`, `invalid_field`, `not_found` where the client is not the organization's
 */
export async function explainForOrganization(
  ports: OrganizationExplainPorts,
  organizationId: string,
  input: unknown,
): Promise<OrganizationExplanation> {
  const { tool, arguments: given, caller } = readCall(input);
  const configuration = await ownConfiguration(ports, organizationId);
  const claims = "claims" in caller ? caller.claims : await claimsOf(ports, organizationId, caller, configuration);
  const { gateway, fetch, clock, stores } = ports;
  const find: NonNullable<ExplainPorts["connections"]>["find"] = (_, key) =>
    stores.connections.connection({ ...key, organizationId });
  const explanation = await explainCall({ tool, claims, arguments: given }, configuration, {
    ...{ ...gateway, fetch, clock },
    ...(connectsAccounts(configuration) && { connections: { find } }),
  });
  return { claims, explanation };
}

/** A client of the organization, and for whom it acts. */
interface NamedCaller {
  readonly clientId: string;
  /** Absent: it acts for itself. */
  readonly person?: string;
  /** Of the token; absent: all that the client may ask for. */
  readonly scopes?: readonly string[];
}

interface AskedExplanation {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly caller: NamedCaller | { readonly claims: JsonObject };
}

/** Characters; and scopes of one token. */
const LONGEST = 512;
const MOST_SCOPES = 200;

function readCall(input: unknown): AskedExplanation {
  const fields = readFields(input, ["tool", "arguments", "claims", "clientId", "person", "scopes"]);
  const { object } = fields;
  const tool = textField(fields, "tool", { min: 1, max: LONGEST }) ?? "";
  const given = object.arguments === undefined ? {} : objectField(fields, "arguments");
  const caller = object.claims === undefined ? namedCaller(fields) : { claims: objectField(fields, "claims") };
  if (object.claims !== undefined) {
    for (const name of ["clientId", "person", "scopes"])
      if (object[name] !== undefined) fields.refuse(`/${name}`, "does not go with claims");
  }
  fields.finish();
  return { tool, arguments: given, caller };
}

function namedCaller(fields: Fields): NamedCaller {
  const { person, scopes } = fields.object;
  const clientId = textField(fields, "clientId", { min: 1, max: LONGEST }) ?? "";
  const named = person === undefined ? undefined : textField(fields, "person", { min: 1, max: LONGEST });
  const held =
    scopes === undefined
      ? undefined
      : textListField(fields, "scopes", MOST_SCOPES, (scope) =>
          /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope) ? undefined : "is no scope (RFC 6749 §3.3)",
        );
  return { clientId, ...(named !== undefined && { person: named }), ...(held !== undefined && { scopes: held }) };
}

function objectField(fields: Fields, name: string): JsonObject {
  const value = fields.object[name];
  if (isJsonObject(value)) return value;
  fields.refuse(`/${name}`, "must be an object");
  return {};
}

/** As if the instance had no other tools than the organization's: of those of others it learns nothing, not even that they are there. */
async function ownConfiguration(
  { configuration, gateway }: OrganizationExplainPorts,
  organizationId: string,
): Promise<Configuration> {
  const { configuration: whole } = configuration();
  const apps: Configuration["apps"][number][] = [];
  for (const app of whole.apps) {
    const isMcp = app.type === "mcpBridge" || app.type === "mcpProxy";
    if (!isMcp || (await gateway.organizationOf(app)) === organizationId) apps.push(app);
  }
  // What organizations call limits of their own begins with whose they are.
  const limits = whole.limits.filter(({ name }) => !name.includes(":") || name.startsWith(`${organizationId}:`));
  return { ...whole, apps, limits };
}

/** Of the token that the client would get for the gateway. */
async function claimsOf(
  ports: OrganizationExplainPorts,
  organizationId: string,
  { clientId, person, scopes }: NamedCaller,
  configuration: Configuration,
): Promise<JsonObject> {
  const now = ports.clock.now();
  const client = await clientOf(ports, organizationId, clientId, configuration);
  const claims = claimsOfClient(client, configuration, now);
  return {
    ...claims,
    ...(scopes !== undefined && { scope: scopes.join(" ") }),
    ...(person !== undefined &&
      person !== clientId && { sub: person, act: { sub: clientId }, auth_time: Math.floor(now / 1_000) }),
  };
}

async function clientOf(
  ports: OrganizationExplainPorts,
  organizationId: string,
  clientId: string,
  configuration: Configuration,
): Promise<ClaimingClient> {
  if (hasClientIdForm(clientId)) {
    const { scopes, resources } = await showApiClient(ports, organizationId, clientId);
    const others = await othersGrants(ports, organizationId);
    return { clientId, resources, scopes: scopes.filter((scope) => !others.scopes.has(scope)) };
  }
  for (const { scopes, audiences, ...client } of agentsOfClient(clientId, configuration)) {
    if ((await organizationOf(client, ports)) !== organizationId) continue;
    return { clientId, resources: audiences, scopes: scopes.filter((scope) => !OPENID_SCOPES.includes(scope)) };
  }
  throw new ProblemError("not_found", "Your organization has no such client. Write the claims of its token instead.");
}
