import type { McpAppConfiguration } from "../config/app-configuration.ts";
import type { Configuration, ConfigurationSnapshot } from "../config/configuration.ts";
import { acceptsDynamicClients } from "../config/oauth-features.ts";

import { boundedCache } from "../kernel/bounded-cache.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Directory } from "../stores/directory.ts";
import { type Identities, personId } from "../stores/identities.ts";
import type { Members } from "../stores/members.ts";
import type { Principal } from "./identity.ts";

/** Whichever organization of the instance it is. */
export const ANY_ORGANIZATION = Symbol("any organization");

/** Who belongs to which organization, as far as apps ask for it (D165). */
export interface Memberships {
  /** Whether people have to belong to the app's organization to use it. */
  areRequired(app: Pick<McpAppConfiguration, "members">): boolean | Promise<boolean>;
  /** Whether the person, for whom an agent may act, belongs to an organization, or to any. */
  isMember(identity: KnownPerson, organizationId: string | typeof ANY_ORGANIZATION): boolean | Promise<boolean>;
}

/** What a person is known by here. */
type KnownPerson = Pick<Principal, "issuer" | "user" | "memberId">;

export interface MembershipPorts {
  readonly stores: {
    readonly directory: Pick<Directory, "memberships">;
    readonly members: Pick<Members, "hasSeveralOrganizations">;
    readonly identities: Pick<Identities, "findIdentity" | "listIdentities">;
  };
  readonly clock: Clock;
  readonly configuration: () => Pick<ConfigurationSnapshot, "configuration">;
}

/** People whose organizations one instance remembers. */
const CAPACITY = 10_000;
/** How long, milliseconds: after it a removed member is none everywhere. */
const MEMORY = 2_000;

export function createMemberships({ stores, clock, configuration }: MembershipPorts): Memberships {
  const known = boundedCache<string, { readonly at: number; readonly organizations: ReadonlySet<string> }>(CAPACITY);
  let several: { readonly at: number; readonly are: boolean } | undefined;

  // A clock that was set back ends what is known.
  const isFresh = (at: number) => Math.abs(clock.now() - at) < MEMORY;

  async function areSeveral(): Promise<boolean> {
    const at = clock.now();
    const are = await stores.members.hasSeveralOrganizations();
    several = { at, are };
    return are;
  }

  async function organizationsOf({ memberId, user, issuer }: KnownPerson): Promise<ReadonlySet<string>> {
    const subject = user?.sub ?? "";
    // A person of this region was looked up when they signed in; one of another server is known by what they linked.
    const userId = memberId ?? (await stores.identities.findIdentity({ issuer, subject }))?.userId;
    if (userId === undefined) return new Set();
    const [memberships, isLinked] = await Promise.all([
      stores.directory.memberships(userId),
      memberId === undefined || isStillLinked(memberId, subject),
    ]);
    return new Set(isLinked ? memberships.map(({ organizationId }) => organizationId) : []);
  }

  /** The chain outlives the link. Who unlinks an account that somebody else has got hold of ends what that one may do here. */
  async function isStillLinked(userId: string, subject: string): Promise<boolean> {
    const accounts = await stores.identities.listIdentities(userId);
    return accounts.some((account) => personId(account) === subject);
  }

  async function learn(identity: KnownPerson, key: string): Promise<ReadonlySet<string>> {
    const at = clock.now();
    const organizations = await organizationsOf(identity);
    known.put(key, { at, organizations });
    return organizations;
  }

  return {
    areRequired({ members }) {
      if (members !== undefined) return members === "required";
      if (membersByDefault(configuration().configuration) === "required") return true;
      // There will not be fewer.
      if (several !== undefined && (several.are || isFresh(several.at))) return several.are;
      return areSeveral();
    },
    isMember(identity, organizationId) {
      const isAmong = (organizations: ReadonlySet<string>) =>
        organizationId === ANY_ORGANIZATION ? organizations.size > 0 : organizations.has(organizationId);
      const key = JSON.stringify([identity.issuer, identity.user?.sub, identity.memberId]);
      const found = known.get(key);
      if (found !== undefined && isFresh(found.at)) return isAmong(found.organizations);
      return learn(identity, key).then(isAmong);
    },
  };
}

/** What holds where an app says nothing: clients that come by themselves bring people whom nobody invited. */
export function membersByDefault(
  configuration: Configuration,
): "required" | "required where there are several organizations" {
  return acceptsDynamicClients(configuration) ? "required" : "required where there are several organizations";
}

/** For those who decide without a store, as commands do: what the configuration alone tells is asked for, and everybody has it. */
export function membershipsWithoutStore(configuration: Configuration): Memberships {
  const byDefault = membersByDefault(configuration);
  return { areRequired: ({ members }) => (members ?? byDefault) === "required", isMember: () => true };
}
