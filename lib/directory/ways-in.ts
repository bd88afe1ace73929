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
  { stores, configuration }: Dependencies,
  userId: string,
  isTaken: (way: WayIn) => boolean,
): Promise<void> {
  const { configuration: current } = configuration();
  const hasPasskeys = relyingPartyOf(current) !== undefined;
  const issuers = consoleIssuers(current);
  const [passkeys, identities] = await Promise.all([
    hasPasskeys ? stores.passkeys.listPasskeys(userId) : [],
    stores.identities.listIdentities(userId),
  ]);
  const ways = [...passkeys, ...identities.filter(({ issuer }) => issuers.some((one) => isSameIssuer(one, issuer)))];
  if (!ways.some(isTaken) || ways.some((way) => !isTaken(way))) return;
  const advice = [
    ...(hasPasskeys ? ["add another passkey"] : []),
    ...(issuers.length > 0 ? [`link another account (${current.console.connectors.join(", ")})`] : []),
  ];
  throw new ProblemError("conflict", `This is your last way to sign in: first ${advice.join(" or ")}.`);
}

/** The providers that people sign in at, as their addresses name them. */
function consoleIssuers({ console, connectors }: Configuration): readonly string[] {
  return connectors
    .filter(({ name }) => console.connectors.includes(name))
    .flatMap(({ wellKnownURL }) => issuerFromWellKnown(wellKnownURL) ?? []);
}
