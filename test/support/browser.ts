/**
 * Visits a page as a browser does that nobody sits at: keeps cookies and follows redirects (RFC 6265, RFC 9110 §15.4).
 *
 * @param stopAt a redirect to an address that begins so is not followed
 * @returns the address that was not followed, or the last one visited with what it answered
 */
export async function visit(
  start: string | URL,
  stopAt?: string,
): Promise<{ readonly url: URL; readonly response?: Response }> {
  const jar = new Map<string, string>();
  let url = new URL(start);
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { ...(cookie !== "" && { cookie }) } });
    for (const line of response.headers.getSetCookie()) keep(line, jar);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return { url, response };
    await response.body?.cancel();
    url = new URL(location, url);
    if (stopAt !== undefined && url.href.startsWith(stopAt)) return { url };
  }
  throw new Error(`more than ${MAX_HOPS} redirects, the last one to ${url.origin}${url.pathname}`);
}

const MAX_HOPS = 10;

/** All hosts are this machine and no two pages use one name, so neither domain nor path decides anything. */
function keep(line: string, jar: Map<string, string>): void {
  const [pair = ""] = line.split(";");
  const at = pair.indexOf("=");
  const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1)];
  if (value === "") jar.delete(name);
  else jar.set(name, value);
}
