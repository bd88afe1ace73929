import { liftStops } from "../stops/change-stops.ts";
import type { BrowserSessionRecord } from "../stores/directory.ts";
import type { Identities, IdentityKey } from "../stores/identities.ts";
import { type StopIndex, type StopSubject, stopOf } from "../stores/stop-subjects.ts";
import type { Stop } from "../stores/stops.ts";
import type { DirectoryPorts } from "./ports.ts";

/** A person who has a session, or is to have one. */
export type StoppablePerson = Pick<BrowserSessionRecord, "userId" | "createdAt" | "signIn" | "further">;

type LookupPorts = {
  readonly instanceStops: Pick<DirectoryPorts["instanceStops"], "current">;
  readonly stores: { readonly identities: Pick<Identities, "listIdentities"> };
};

/**
 * What stops a person, under whichever of their names it was placed: in the directory, or as an account that they linked or
 * signed in with. Who signed in at several connectors is stopped when one of the accounts is.
 *
 * @param organizationId where they act; absent: what holds for the whole instance
 */
export async function stopOfPerson(
  { instanceStops, stores }: LookupPorts,
  person: StoppablePerson,
  organizationId?: string,
): Promise<Stop | undefined> {
  const index = await instanceStops.current();
  const { userId, signIn, further = [], createdAt: beganAt } = person;
  const stopOfName = (name: StopSubject) =>
    stopOf(index, { ...name, ...(organizationId !== undefined && { organizationId }), beganAt });
  const accounts = signIn === undefined ? [] : [signIn, ...further];
  const names = [{ subject: userId }, ...accounts.map(accountOf)];
  const stop = names.map(stopOfName).find((one) => one !== undefined);
  // Who signed in with accounts goes by their names, with which nothing is linked: a web app's requests would ask the store each time.
  if (stop !== undefined || accounts.length > 0 || !hasPersons(index)) return stop;
  const linked = await stores.identities.listIdentities(userId);
  return linked.map((account) => stopOfName(accountOf(account))).find((one) => one !== undefined);
}

/**
 * Takes back what keeps a person out, for the one who runs the instance: no owner may be left who could. False: nothing did.
 */
export async function letIn(
  ports: DirectoryPorts,
  userId: string,
  { organizationId, requestId }: { readonly organizationId: string; readonly requestId: string },
): Promise<boolean> {
  for (let lifted = 0; ; lifted++) {
    // Others may have changed them since this instance looked.
    await ports.instanceStops.use(await ports.stores.stops.readStops());
    const stop = await stopOfPerson(ports, { userId, createdAt: ports.clock.now() });
    if (stop?.state !== "suspended") return lifted > 0;
    const operator = { id: "setup token", organizationId, requestId };
    await liftStops(ports, operator, "The owner was recovered.", ({ stopId }) => stopId === stop.stopId);
  }
}

function accountOf({ issuer, subject }: IdentityKey): StopSubject {
  return { issuer, subject };
}

function hasPersons(index: StopIndex): boolean {
  return [...index.values()].some((stops) => stops.some(({ target }) => target.kind === "person"));
}
