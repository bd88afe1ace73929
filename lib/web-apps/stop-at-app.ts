import { type StoppablePerson, stopOfPerson } from "../directory/stopped-person.ts";
import type { InstanceStops } from "../stops/instance-stops.ts";
import type { Directory } from "../stores/directory.ts";
import type { Identities } from "../stores/identities.ts";
import type { StopIndex } from "../stores/stop-subjects.ts";
import type { Stop } from "../stores/stops.ts";

export interface StopAtAppPorts {
  readonly instanceStops: Pick<InstanceStops, "current">;
  readonly stores: {
    readonly directory: Pick<Directory, "memberships">;
    readonly identities: Pick<Identities, "findIdentity" | "listIdentities">;
  };
}

/** Whose a web app is. */
export interface AppOwner {
  /** Who owns its records: the organization of the app, else the instance's first. */
  readonly organizationId: string | undefined;
  /** The app names no organization, so it is there for all (D32). */
  readonly isOfAll: boolean;
}

/**
 * What stops a person at a web app: a stop of the whole instance or of the app's owner. A session is of no organization, as the token
 * of an agent is. So at an app of all, it is of those that the person belongs to, and over where each of them stops the person (D172).
 */
export async function stopAtApp(
  ports: StopAtAppPorts,
  person: StoppablePerson,
  { organizationId, isOfAll }: AppOwner,
): Promise<Stop | undefined> {
  const stop = await stopOfPerson(ports, person, organizationId);
  if (stop !== undefined || !isOfAll) return stop;
  if (!hasStopsOfOrganizations(await ports.instanceStops.current())) return undefined;
  const organizations = await organizationsOf(person, ports);
  const stops = await Promise.all(organizations.map((one) => stopOfPerson(ports, person, one)));
  const known = stops.filter((one) => one !== undefined);
  if (known.length < organizations.length) return undefined;
  // Where one only ended what was, whoever signs in anew is let in.
  return known.find(({ state }) => state === "ended") ?? known[0];
}

/** Without them no organization stops anybody whom another one lets in, so nobody's organizations are read. */
function hasStopsOfOrganizations(index: StopIndex): boolean {
  return [...index.values()].some((stops) =>
    stops.some(({ organizationId, target }) => organizationId !== undefined || target.kind === "organization"),
  );
}

/** Those of everybody who linked an account that the session signed in with. */
async function organizationsOf(
  { signIn, further = [] }: StoppablePerson,
  { stores }: StopAtAppPorts,
): Promise<readonly string[]> {
  const accounts = signIn === undefined ? [] : [signIn, ...further];
  const linked = await Promise.all(accounts.map((account) => stores.identities.findIdentity(account)));
  const people = new Set(linked.flatMap((identity) => identity?.userId ?? []));
  const memberships = await Promise.all([...people].map((userId) => stores.directory.memberships(userId)));
  return [...new Set(memberships.flat().map(({ organizationId }) => organizationId))];
}
