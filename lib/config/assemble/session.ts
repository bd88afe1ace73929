import type { Configuration, SessionConfiguration, SingleLogoutConfiguration } from "../configuration.ts";
import { isWithinDomain } from "../cookie-domain.ts";
import { signInEndpoints } from "../endpoints.ts";
import type { Problem } from "../rules/rule.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { present, type Shown } from "./context.ts";

/** `__Host-` forbids a domain (RFC 6265bis §4.1.3.2), `__Secure-` does not. */
export function assembleSession({
  cookie: { name, domain },
  lifetime,
}: ConfigurationDocument["session"]): SessionConfiguration {
  const byDefault = domain === undefined ? "__Host-countersign" : "__Secure-countersign";
  return { cookieName: name ?? byDefault, ...present({ cookieDomain: domain }), ...lifetime };
}

/** A path is one at the host where people sign in. */
export function assembleSingleLogout(
  document: ConfigurationDocument["singleLogout"],
  instance: Pick<Configuration, "oidcProvider" | "publicURL">,
): SingleLogoutConfiguration | undefined {
  if (document === undefined) return undefined;
  const { logoutURL, postLogout } = document;
  const { href } = new URL(logoutURL, signInEndpoints(instance).origin);
  return { url: href, ...present({ redirectURL: postLogout.redirectURL }) };
}

/**
 * What is wrong with where sessions reach: the browser takes a cookie only from a host of the cookie's domain, and only the host where
 * people sign in has the session that ends.
 */
export function sessionProblems(configuration: Configuration, shown: Shown): readonly Problem[] {
  const { session, singleLogout } = configuration;
  const { origin } = new URL(signInEndpoints(configuration).origin);
  const { hostname } = new URL(origin);
  const problems: Problem[] = [];
  const { cookieDomain: domain } = session;
  if (domain !== undefined && !isWithinDomain(hostname, domain)) {
    const path = ["session", "cookie", "domain"];
    const message = `found ${shown(path, domain)}, and people sign in at ${hostname}, which is no host of it; accepted: a domain that ${hostname} is in`;
    problems.push({ path, message });
  }
  if (singleLogout !== undefined && new URL(singleLogout.url).origin !== origin) {
    const message = `is at another host than people sign in at; accepted: a path, or a URL that begins with ${origin}/`;
    problems.push({ path: ["singleLogout", "logoutURL"], message });
  }
  return problems;
}
