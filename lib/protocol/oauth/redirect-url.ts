/**
 * Whether a redirect is one of a client's: exactly equal as text (RFC 9700 §4.1.3), but for the port of `http` on loopback,
 * which native clients pick anew each time (RFC 8252 §7.3).
 */
export function isRegisteredRedirect(redirect: string, registered: readonly string[]): boolean {
  const withoutPort = loopbackWithoutPort(redirect);
  return registered.some(
    (known) => known === redirect || (withoutPort !== undefined && loopbackWithoutPort(known) === withoutPort),
  );
}

/** Whether codes sent there stay on the person's machine, where any program may listen. */
export function isLoopbackRedirect(redirect: string): boolean {
  return LOOPBACK.test(redirect);
}

/** Whether the system opens a program for it (RFC 8252 §7.1). Any program may claim a scheme. */
export function isPrivateUseRedirect(redirect: string): boolean {
  return URL.canParse(redirect) && !["http:", "https:"].includes(new URL(redirect).protocol);
}

/**
 * What is wrong with a redirect that a client names by itself, to follow its name in a sentence; undefined when it is
 * acceptable: `https`, `http` on loopback, or of a public client a private-use scheme.
 */
export function redirectFault(redirect: string, { isPublic }: { readonly isPublic: boolean }): string | undefined {
  if (redirect.length > MAX_LENGTH) return `has more than ${MAX_LENGTH} characters`;
  if (!URI_CHARACTERS.test(redirect) || !URL.canParse(redirect)) return "is not an absolute URL";
  if (redirect.includes("#")) return "has a fragment";
  const { protocol, username, password } = new URL(redirect);
  if (username !== "" || password !== "") return "has a user name or password";
  // Without the slashes a browser that is here takes the rest for a path of ours (WHATWG URL §4.4).
  if (protocol === "https:") return /^https:\/\/[^/]/i.test(redirect) ? undefined : "names no host after https://";
  if (protocol === "http:") return isLoopbackRedirect(redirect) ? undefined : NOT_HTTPS;
  if (!isPublic)
    return "has a private-use scheme, which only public clients (token_endpoint_auth_method none) may have";
  return privateUseFault(redirect, protocol.slice(0, -1));
}

/**
 * RFC 8252 §7.1 wants a domain name of the client's in the scheme (`com.example.app:/callback`). Where it stands in the
 * authority instead (`app://example.app/callback`), as with agents in the field, it serves the same end. Neither makes a
 * scheme acceptable that browsers or systems give a meaning of their own (checklist 11).
 */
function privateUseFault(redirect: string, scheme: string): string | undefined {
  if (WELL_KNOWN_SCHEMES.has(scheme)) return `has the scheme ${scheme}, which is none of a client's own`;
  if (scheme.includes(".") || DOTTED_AUTHORITY.test(redirect)) return undefined;
  return "has a scheme that names no domain; accepted: https, http on loopback, or one such as com.example.app";
}

/** What stays when the port is left out; undefined for everything but `http` on loopback. */
function loopbackWithoutPort(url: string): string | undefined {
  const [, host, rest] = LOOPBACK.exec(url) ?? [];
  return host === undefined || !URL.canParse(url) ? undefined : `${host}${rest}`;
}

/** Host and what follows the port. Nothing but a port, a path or a query may follow the host. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?((?:[/?].*)?)$/;
const DOTTED_AUTHORITY = /^[^:]+:\/\/[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:\d+)?([/?]|$)/;
/** RFC 3986 §2, without the backslash and brackets that parsers make something else of. */
const URI_CHARACTERS = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/;
const MAX_LENGTH = 2_048;
const NOT_HTTPS =
  "is plain http to a host that is not loopback; accepted: https, or http on 127.0.0.1, [::1] or localhost";
const WELL_KNOWN_SCHEMES: ReadonlySet<string> = new Set([
  ...["javascript", "data", "vbscript", "file", "filesystem", "blob", "about", "view-source", "resource", "jar"],
  ...["ws", "wss", "ftp", "ftps", "sftp", "ssh", "telnet", "smb", "nfs", "ldap", "ldaps", "gopher", "git", "news"],
  ...["mailto", "tel", "sms", "urn", "intent", "android-app", "chrome", "chrome-extension", "moz-extension"],
  ...["search-ms", "ms-appinstaller", "ms-msdt", "ms-officecmd", "shell", "res", "mhtml", "wyciwyg", "feed"],
]);
