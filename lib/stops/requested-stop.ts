import type { Administrator } from "../api-clients/client-event.ts";
import type { AuditEventPorts } from "../audit/event.ts";
import type { ConfigurationSnapshot } from "../config/configuration.ts";
import { readFields, type TextRule, textField } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { ApiClients } from "../stores/api-clients.ts";
import type { Directory } from "../stores/directory.ts";
import type { Identities } from "../stores/identities.ts";
import { STOP_KINDS, type Stop, type Stops, type StopTarget } from "../stores/stops.ts";
import type { InstanceStops } from "./instance-stops.ts";
import { OF_ISSUERS, OF_TOKENS, type StoppableApp, unknownTarget } from "./targets.ts";

export interface StopPorts extends AuditEventPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly stores: {
    readonly stops: Stops;
    readonly directory: Pick<Directory, "firstOrganization" | "getOrganization">;
    readonly apiClients: Pick<ApiClients, "getForVerification">;
    readonly identities: Pick<Identities, "listIdentities">;
  };
  readonly instanceStops: Pick<InstanceStops, "use" | "settlesWithin">;
}

/** Who stops: an owner of an organization, or the operator of this machine, whose stops hold for the whole instance. */
export interface StopActor extends Administrator {
  readonly isOperator?: true;
}

/** The organization for which alone the actor's stops hold; undefined: for the whole instance, as an owner of its first may (D32). */
export async function scopeOf(
  { organizationId, isOperator }: Pick<StopActor, "organizationId" | "isOperator">,
  { stores }: { readonly stores: { readonly directory: Pick<Directory, "firstOrganization"> } },
): Promise<string | undefined> {
  if (isOperator) return undefined;
  const first = await stores.directory.firstOrganization();
  return first?.organizationId === organizationId ? undefined : organizationId;
}

export const REASON: TextRule = { min: 1, max: 200 };
const ID: TextRule = { min: 1, max: 512 };
const STATES: readonly string[] = ["suspended", "ended"];

export async function readStop(
  input: unknown,
  scope: string | undefined,
  actor: StopActor,
  ports: StopPorts,
): Promise<Pick<Stop, "target" | "state" | "reason">> {
  const fields = readFields(input, ["kind", "id", "issuer", "state", "reason"]);
  const { kind: named, state, issuer: given } = fields.object;
  const kind = STOP_KINDS.find((one) => one === named);
  if (kind === undefined) fields.refuse("/kind", `must be one of ${STOP_KINDS.join(", ")}`);
  const id = textField(fields, "id", ID);
  const issuer = given === undefined ? undefined : textField(fields, "issuer", ID);
  if (issuer !== undefined && kind !== undefined && !OF_ISSUERS.includes(kind))
    fields.refuse("/issuer", `is accepted for ${OF_ISSUERS.join(" and ")} alone`);
  if (issuer !== undefined && !URL.canParse(issuer))
    fields.refuse("/issuer", "must be the URL of an authorization server");
  if (issuer !== undefined && scope !== undefined)
    fields.refuse(
      "/issuer",
      "is for owners of the first organization: tokens of other servers belong to no organization",
    );
  if (typeof state !== "string" || !STATES.includes(state)) fields.refuse("/state", `must be ${STATES.join(" or ")}`);
  else if (state === "ended" && kind !== undefined && !OF_TOKENS.includes(kind))
    fields.refuse("/state", `must be suspended for ${kind}: only ${OF_TOKENS.join(", ")} have tokens and sessions`);
  const reason = textField(fields, "reason", REASON);
  fields.finish();
  const target = { kind, id, ...(issuer !== undefined && ownIssuer(ports) !== issuer && { issuer }) } as StopTarget;
  const problem = await targetProblem(target, scope, ports);
  if (problem !== undefined) fields.refuse("/id", problem);
  fields.finish();
  refuseLockOut(target, state as Stop["state"], actor, scope);
  return { target, state: state as Stop["state"], reason: reason ?? "" };
}

function ownIssuer({ configuration }: Pick<StopPorts, "configuration">): string | undefined {
  return configuration().configuration.oidcProvider?.issuer;
}

/** What cannot be known, as people and agents of others, is believed. An organization's stop holds for nothing but its own anyway. */
async function targetProblem(
  target: StopTarget,
  scope: string | undefined,
  { stores, configuration }: StopPorts,
): Promise<string | undefined> {
  const { kind, id } = target;
  switch (kind) {
    case "organization":
      if (scope !== undefined) return id === scope ? undefined : "must be your organization";
      return (await stores.directory.getOrganization(id)) === undefined ? "is no organization" : undefined;
    case "api_client": {
      if (!id.startsWith("client_")) return "is no API client; agents are stopped as agent";
      const read = await stores.apiClients.getForVerification(id, { authoritative: true });
      const isKnown = read.record !== undefined && (scope === undefined || read.record.organizationId === scope);
      return isKnown ? undefined : "is no API client. To end the tokens of a deleted one, give it as kind agent";
    }
    case "key_pair":
      return /^key_[\w-]+$/.test(id) ? undefined : "is no key pair: their ids begin with key_";
    default:
      return unknownTarget(target, appsOf(configuration, scope));
  }
}

function appsOf(configuration: StopPorts["configuration"], scope: string | undefined): readonly StoppableApp[] {
  const { apps } = configuration().configuration;
  return apps.filter((app) => app.type !== "oidc").filter((app) => scope === undefined || app.organization === scope);
}

/** Who is suspended cannot resume. */
function refuseLockOut(
  { kind, id }: StopTarget,
  state: Stop["state"],
  { id: actorId, organizationId, isOperator }: StopActor,
  scope: string | undefined,
): void {
  if (isOperator || state === "ended") return;
  const isOwnOrganization = kind === "organization" && id === organizationId;
  const isItself = (kind === "person" || kind === "api_client" || kind === "agent") && id === actorId;
  if (!isOwnOrganization && !isItself) return;
  const who = isOwnOrganization ? "your own organization" : "yourself";
  const instead =
    scope === undefined
      ? "The command `countersign stop` can, on the machine of the store."
      : "An owner of the instance's first organization can.";
  throw new ProblemError("forbidden", `You cannot suspend ${who}, as you could not resume. ${instead}`);
}
