import type { Configuration } from "../config/configuration.ts";
import type { Dependencies } from "../dependencies.ts";
import { isSameIssuer, issuerFromWellKnown } from "../oauth/issuer.ts";
import { ProblemError } from "../problem.ts";
import type { IdentityRecord } from "../stores/identities.ts";
import type { PasskeyRecord } from "../stores/passkeys.ts";
import { relyingPartyOf } from "./passkeys/relying-party.ts";

/** A way for a person to sign in. */
type WayIn = PasskeyRecord | IdentityRecord;

/**
 * Refuses to take away the last of a person's ways to sign in. What does not work here any more is none. Two requests at the
 * same time may take the last two away; a link brings the person back.
 * @throws ProblemError `conflict`, which says what to add first
 */
export async function requireAnotherWayIn(
  dependencies: Dependencies,
  userId: string,
  isTaken: (way: WayIn) => boolean,
): Promise<void> {
  const ways = await waysIn(dependencies, userId);
  if (!ways.some(isTaken) || ways.some((way) => !isTaken(way))) return;
  const { configuration } = dependencies.configuration();
  const advice = [
    ...(relyingPartyOf(configuration) !== undefined ? ["add another passkey"] : []),
    ...(consoleIssuers(configuration).length > 0
      ? [`link another account (${configuration.console.connectors.join(", ")})`]
      : []),
  ];
  throw new ProblemError("conflict", `This is your last way to sign in: first ${advice.join(" or ")}.`);
}

/** Whether a person can sign in by themselves. What does not work here any more is no way to. */
export async function hasWayIn(dependencies: Dependencies, userId: string): Promise<boolean> {
  return (await waysIn(dependencies, userId)).length > 0;
}

async function waysIn({ stores, configuration }: Dependencies, userId: string): Promise<readonly WayIn[]> {
  const { configuration: current } = configuration();
  const issuers = consoleIssuers(current);
  const [passkeys, identities] = await Promise.all([
    relyingPartyOf(current) === undefined ? [] : stores.passkeys.listPasskeys(userId),
    stores.identities.listIdentities(userId),
  ]);
  return [...passkeys, ...identities.filter(({ issuer }) => issuers.some((one) => isSameIssuer(one, issuer)))];
}

/** The providers that people sign in at, as their addresses name them. */
function consoleIssuers({ console, connectors }: Configuration): readonly string[] {
  return connectors
    .filter(({ name }) => console.connectors.includes(name))
    .flatMap(({ wellKnownURL }) => issuerFromWellKnown(wellKnownURL) ?? []);
}
