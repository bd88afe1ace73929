/**
 * A person's browser in HTTP requests: keeps cookies, follows redirects, shows pages, sends their forms (RFC 6265, RFC 9110
 * §15.4, HTML §4.10.21).
 */
export interface PersonsBrowser {
  open(url: string | URL): Promise<Visit>;
  /** Presses the button that says so; `fields` are typed in before. */
  press(visit: Visit, button: string, fields?: Readonly<Record<string, string>>): Promise<Visit>;
  /** `name=value` of what is kept. */
  readonly cookies: Map<string, string>;
}

export interface Visit {
  /** Of the page, or of the redirect that was not followed. */
  readonly url: URL;
  /** Undefined where a redirect led away from what `isWithin` says. */
  readonly response: Response | undefined;
  readonly html: string;
  /** Addresses on the way, the last one included. */
  readonly way: readonly string[];
}

type Send = (url: URL, init: RequestInit) => Promise<Response>;

/**
 * @param isWithin redirects to other addresses are not followed: nobody answers there
 * @param send how requests go out, `fetch` unless stated
 * @param language `Accept-Language` of its requests; none unless stated
 */
export function openBrowser(isWithin: (url: URL) => boolean, send: Send = fetch, language?: string): PersonsBrowser {
  const cookies = new Map<string, string>();

  async function visit(start: URL, first: RequestInit): Promise<Visit> {
    let url = start;
    let init = first;
    const way = [url.href];
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = {
        ...(init.headers as Record<string, string>),
        ...(cookie !== "" && { cookie }),
        ...(language !== undefined && { "Accept-Language": language }),
      };
      const response = await send(url, { ...init, headers, redirect: "manual" });
      for (const line of response.headers.getSetCookie()) keep(line, cookies);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) {
        return { url, response, html: await response.text(), way };
      }
      await response.body?.cancel();
      url = new URL(location, url);
      way.push(url.href);
      if (!isWithin(url)) return { url, response: undefined, html: "", way };
      // 302 and 303 are followed by GET.
      init = {};
    }
    throw new Error(`more than ${MAX_HOPS} redirects: ${way.join(" → ")}`);
  }

  return {
    cookies,
    open: (url) => visit(new URL(url), {}),
    press: ({ url, html }, button, fields = {}) => {
      const { action, parameters } = formOf(html, button);
      const headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        Origin: url.origin,
        "Sec-Fetch-Site": "same-origin",
      };
      const body = new URLSearchParams({ ...parameters, ...fields }).toString();
      return visit(new URL(action, url), { method: "POST", headers, body });
    },
  };
}

const MAX_HOPS = 15;

/** All hosts are this machine and no two sites use one name, so neither domain nor path decides anything. */
function keep(line: string, jar: Map<string, string>): void {
  const [pair = ""] = line.split(";");
  const at = pair.indexOf("=");
  const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1)];
  if (value === "") jar.delete(name);
  else jar.set(name, value);
}

/** The one form of a page, as it is sent by one of its buttons. */
function formOf(html: string, button: string): { action: string; parameters: Record<string, string> } {
  // A form without an action goes to the address of its page.
  const action = /<form[^>]*>/.exec(html)?.map((tag) => attribute(tag, "action") ?? "")[0];
  const buttons = [...html.matchAll(/<button([^>]*)>([\s\S]*?)<\/button>/g)];
  const pressed = buttons.find(([, , label]) => withoutTags(label ?? "") === button);
  if (action === undefined || pressed === undefined) throw new Error(`no button "${button}" in: ${html}`);
  const inputs = [...html.matchAll(/<input([^>]*)>/g)].map(([, attributes]) => attributes ?? "");
  const parameters: Record<string, string> = {};
  for (const attributes of [...inputs, pressed[1] ?? ""]) {
    const name = attribute(attributes, "name");
    if (name !== undefined) parameters[name] = attribute(attributes, "value") ?? "";
  }
  return { action, parameters };
}

function attribute(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
  return value === undefined ? undefined : unescaped(value);
}

function withoutTags(html: string): string {
  return unescaped(html.replace(/<[^>]*>/g, "")).trim();
}

function unescaped(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))).replaceAll("&amp;", "&");
}
