import { kept, LONGEST_NAME, nameIn } from "../audit/event.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { IdentityKey } from "../stores/identities.ts";
import type { OAuthClient } from "./clients/client.ts";
import type { AuthorizationServerPorts } from "./ports.ts";

/** A person as their identity provider tells of them, and what of that a client may know. */
interface NamedAccount extends IdentityKey {
  readonly claims: JsonObject;
  readonly shown: JsonObject;
}

/**
 * What the organization of a client may read that a person is called (D270): what the client itself is told, and else what the provider
 * says, in the organization that runs the instance and in those that the person is a member of. Undefined: nothing of that is known.
 */
export async function personName(
  { claims, shown, issuer, subject }: NamedAccount,
  { organization }: Pick<OAuthClient, "organization">,
  { stores }: Pick<AuthorizationServerPorts, "stores">,
): Promise<string | undefined> {
  const told = textOf(nameIn(shown));
  const known = textOf(nameIn(claims));
  if (known === undefined || told === known) return told;
  if (organization === undefined) return known;
  const account = await stores.identities.findIdentity({ issuer, subject });
  const memberships = account === undefined ? [] : await stores.directory.memberships(account.userId);
  return memberships.some(({ organizationId }) => organizationId === organization) ? known : told;
}

function textOf(name: unknown): string | undefined {
  return typeof name === "string" && name !== "" ? kept(name, LONGEST_NAME) : undefined;
}
