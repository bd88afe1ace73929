import type { ConnectorConfiguration } from "../config/configuration.ts";
import { webAppConnectors } from "../config/oauth-features.ts";
import type { CompletedSignIn } from "../connectors/complete-sign-in.ts";
import type { Clock } from "../kernel/clock.ts";
import { utf8 } from "../kernel/encoding.ts";
import type { Random } from "../kernel/random.ts";
import { type SealTerms, seal, unseal } from "../kernel/seal.ts";
import type { ClaimsRenewal, ConnectorSignIn } from "../stores/directory.ts";
import { type StateSecretPorts, stateSecretOf } from "../upstream/request-state/sealed-state.ts";

export interface RefreshTokenPorts extends StateSecretPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * What a session keeps of a sign-in to renew its claims (D208), by connector. Empty where the connector gave no refresh token, is
 * not to be asked again, or where no web app is about it: only those ask with every request who somebody is.
 */
export async function renewalsOf(
  { signIn, refreshToken }: CompletedSignIn,
  { claimsRefresh }: Pick<ConnectorConfiguration, "claimsRefresh">,
  ports: RefreshTokenPorts,
): Promise<Readonly<Record<string, ClaimsRenewal>>> {
  const { connector } = signIn;
  const isAsked = webAppConnectors(ports.configuration().configuration).includes(connector);
  if (refreshToken === undefined || claimsRefresh === undefined || !isAsked) return {};
  return { [connector]: await renewalAfter(refreshToken, signIn, claimsRefresh, ports) };
}

/** The claims are as of now. @param claimsRefresh milliseconds */
export async function renewalAfter(
  refreshToken: string,
  signIn: ConnectorSignIn,
  claimsRefresh: number,
  ports: RefreshTokenPorts,
): Promise<ClaimsRenewal> {
  const sealed = await seal(utf8(refreshToken), terms(signIn, ports), ports.random);
  return { sealed, renewAt: ports.clock.now() + claimsRefresh };
}

/** The refresh token of a sign-in; undefined for one that was kept for another account, or under another secret. */
export async function refreshTokenOf(
  { sealed }: Pick<ClaimsRenewal, "sealed">,
  signIn: ConnectorSignIn,
  ports: StateSecretPorts,
): Promise<string | undefined> {
  const bytes = await unseal(sealed, terms(signIn, ports));
  return bytes && new TextDecoder().decode(bytes);
}

/** Bound to the account: whoever writes to the store cannot give one person the claims of another. */
function terms({ connector, issuer, subject }: ConnectorSignIn, ports: StateSecretPorts): SealTerms {
  const secret = stateSecretOf(ports);
  if (secret === undefined) throw new Error("there is no secret to seal refresh tokens with");
  return { secret, purpose: "countersign refresh token", bound: JSON.stringify([connector, issuer, subject]) };
}
