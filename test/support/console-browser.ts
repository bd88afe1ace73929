/** A page of the Console in a browser, in requests of the management API: keeps cookies, says where it comes from. */
export interface ConsoleBrowser {
  /** A request below `/api/v1`; what is sent is JSON. */
  call(method: string, path: string, body?: unknown): Promise<ConsoleAnswer>;
  /** Follows nothing: what a navigation to a path is answered with. */
  open(pathAndQuery: string): Promise<Response>;
  /** Values by name. */
  readonly cookies: Map<string, string>;
}

export interface ConsoleAnswer<Body = Readonly<Record<string, unknown>>> {
  readonly status: number;
  /** Empty where there is none. */
  readonly body: Body;
  readonly headers: Headers;
}

/** @param send sends a request to the instance, by its path */
export function consoleBrowser(
  send: (path: string, init: RequestInit) => Promise<Response>,
  cookies: Map<string, string> = new Map(),
): ConsoleBrowser {
  const request = async (path: string, init: RequestInit) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string>), ...(cookie !== "" && { Cookie: cookie }) };
    const response = await send(path, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) keep(line, cookies);
    return response;
  };
  return {
    cookies,
    open: (path) => request(path, {}),
    call: async (method, path, body) => {
      const response = await request(`/api/v1${path}`, {
        method,
        headers: { "Sec-Fetch-Site": "same-origin", ...(body !== undefined && { "Content-Type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
    },
  };
}

function keep(line: string, cookies: Map<string, string>): void {
  const [pair = ""] = line.split(";");
  const at = pair.indexOf("=");
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  if (value === "") cookies.delete(name);
  else cookies.set(name, value);
}
