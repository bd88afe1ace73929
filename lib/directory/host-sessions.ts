import { sha256base64url } from "#sha256";
import type { Configuration, ConfigurationSnapshot } from "../config/configuration.ts";
import { isWithinDomain } from "../config/cookie-domain.ts";
import { signInEndpoints } from "../config/endpoints.ts";
import { equalSecrets } from "../kernel/equal-secrets.ts";
import { mac } from "../kernel/seal.ts";
import { isSecretText } from "../kernel/secret-text.ts";
import { type StateSecretPorts, stateSecretOf } from "../upstream/request-state/sealed-state.ts";

/** What the values of session cookies are made and read with. */
export interface HostSessionPorts extends StateSecretPorts {
  readonly configuration: () => ConfigurationSnapshot;
}

/**
 * The value of the session's cookie on the host of a web app (D203): the hash under which the session is stored, and a MAC
 * that binds it to this host. Whoever reads the store or another host's cookie cannot make one.
 *
 * @param hostname without a port, as cookies know none
 */
export async function hostSessionValue(
  sessionHash: string,
  hostname: string,
  ports: HostSessionPorts,
): Promise<string> {
  return `${PREFIX}${sessionHash}.${await macOf(sessionHash, hostname, ports)}`;
}

/**
 * The hash of the session that a cookie names on a host: where the session's own cookie reaches, it is the session's secret, on
 * every other host it is one that `hostSessionValue` made for that host. Undefined for everything else.
 */
export async function sessionHashOf(
  value: string,
  hostname: string,
  ports: HostSessionPorts,
): Promise<string | undefined> {
  if (hasSessionCookie(hostname, ports)) return isSecretText(value) ? sha256base64url(value) : undefined;
  const [sessionHash, bound] = partsOf(value);
  if (sessionHash === undefined || bound === undefined) return undefined;
  return equalSecrets(bound, await macOf(sessionHash, hostname, ports)) ? sessionHash : undefined;
}

/** Whether the session's own cookie reaches a host: people sign in there, or the cookie's domain has it. */
export function hasSessionCookie(hostname: string, ports: Pick<HostSessionPorts, "configuration">): boolean {
  const { cookieDomain } = ports.configuration().configuration.session;
  return isSignInHost(hostname, ports) || (cookieDomain !== undefined && isWithinDomain(hostname, cookieDomain));
}

/** Whether people sign in on this host. */
export function isSignInHost(hostname: string, { configuration }: Pick<HostSessionPorts, "configuration">): boolean {
  return hostname === signInHost(configuration().configuration);
}

/** Each request for a web app asks. */
function signInHost(configuration: Configuration): string {
  const known = signInHosts.get(configuration) ?? new URL(signInEndpoints(configuration).origin).hostname;
  signInHosts.set(configuration, known);
  return known;
}

const signInHosts = new WeakMap<Configuration, string>();

/** The hash that a cookie's value leads to, for the log: one session is one text there on all hosts. Nothing is verified. */
export function loggedSessionHash(value: string): string {
  return partsOf(value)[0] ?? sha256base64url(value);
}

/** No secret text begins so: base64url has no full stop. */
const PREFIX = "h.";
const PURPOSE = "countersign session on a host";

function partsOf(value: string): readonly [sessionHash?: string, bound?: string] {
  if (!value.startsWith(PREFIX)) return [];
  const [sessionHash = "", bound = "", ...others] = value.slice(PREFIX.length).split(".");
  return isSecretText(sessionHash) && isSecretText(bound) && others.length === 0 ? [sessionHash, bound] : [];
}

async function macOf(sessionHash: string, hostname: string, ports: HostSessionPorts): Promise<string> {
  const secret = stateSecretOf(ports);
  if (secret === undefined) throw new Error("there is no secret to bind sessions to hosts with");
  return mac(secret, PURPOSE, `${sessionHash} ${hostname}`);
}
