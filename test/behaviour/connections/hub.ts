import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { sha256base64url } from "#sha256";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { echoSocket } from "../../support/web-socket.ts";
import { createServed } from "../mcp-proxy/served.ts";
import { HUB_CLIENT } from "./configuration.ts";

/** A SaaS: an authorization server that trusts nobody's tokens but its own, and a REST API and an MCP server that take these. */
export interface Hub {
  readonly url: string;
  /** Everything secret that it ever gave or was sent: codes, access, refresh and ID tokens, `state` and verifiers. */
  readonly given: ReadonlySet<string>;
  /** What came to its API and its MCP server, oldest first: whose token it was; undefined where it was none that is good. */
  readonly calls: readonly (string | undefined)[];
  /** Refresh tokens that came to the token endpoint, and codes. */
  readonly spent: readonly string[];
  /** The same of WebSockets. */
  readonly sockets: readonly (string | undefined)[];
  /** Tokens that were taken back. */
  readonly revoked: readonly string[];
  /** Access tokens of requests to its API, and of calls of its MCP server's tools, oldest first: streams and pings come when they like. */
  readonly arrived: readonly string[];
  /** Refresh tokens of an account that came to the token endpoint, oldest first. */
  spentOf(login: string): readonly string[];
  /** Accounts whose next refresh gets no answer: nothing is done `before`, or it is done. An entry goes when that is so. */
  readonly silent: Map<string, "before" | "after">;
  /** Accounts whose spent refresh tokens get the same answer again. All others end with them (RFC 9700 §4.14.2). */
  readonly lenient: Set<string>;
  /** Who is signed in there; undefined: whoever comes says no. */
  login: string | undefined;
  /** What goes on while it answers the next request for a token. */
  meanwhile: (() => Promise<unknown>) | undefined;
  /** Whether it answers 503 to revocations. */
  isDown: boolean;
  /** The newest tokens that it gave for an account, taken back or not. */
  tokensOf(login: string): readonly [access: string, refresh: string];
  /** Seconds that access tokens last from here on. */
  lifetime: number;
  /** Ends the access tokens of an account, before their time. */
  end(login: string): void;
  /** Ends the refresh tokens of an account. */
  forget(login: string): void;
  stop(): Promise<void>;
}

interface Grant {
  readonly login: string;
  readonly scope: string;
}

interface Code extends Grant {
  readonly redirectURL: string;
  readonly challenge: string;
}

export async function startHub(): Promise<Hub> {
  const [codes, access, refresh] = [new Map<string, Code>(), new Map<string, Grant>(), new Map<string, Grant>()];
  /** Of all refresh tokens that ever were. */
  const owners = new Map<string, string>();
  const [given, calls, sockets] = [new Set<string>(), [] as Hub["calls"][number][], [] as Hub["calls"][number][]];
  const [spent, revoked, arrived]: [string[], string[], string[]] = [[], [], []];
  const answers = new Map<string, JsonObject>();
  const silent: Hub["silent"] = new Map();
  const lenient: Hub["lenient"] = new Set();
  const spentOf = (login: string) => spent.filter((name) => owners.get(name) === login);
  const pairs = new Map<string, readonly [access: string, refresh: string]>();
  const served = createServed();
  const newSecret = (kind: string): string => {
    const made = `hub_${kind}_${crypto.randomUUID().replaceAll("-", "")}`;
    given.add(made);
    return made;
  };

  function authorize(query: URLSearchParams): string {
    const back = new URL(query.get("redirect_uri") ?? "");
    const state = query.get("state") ?? "";
    back.searchParams.set("state", state);
    given.add(state);
    if (hub.login === undefined) back.searchParams.set("error", "access_denied");
    else {
      const code = newSecret("code");
      codes.set(code, {
        ...{ login: hub.login, scope: query.get("scope") ?? "", redirectURL: query.get("redirect_uri") ?? "" },
        challenge: query.get("code_challenge") ?? "",
      });
      back.searchParams.set("code", code);
    }
    return back.href;
  }

  function redeemed(form: URLSearchParams): Grant | undefined {
    const isCode = form.get("grant_type") === "authorization_code";
    const name = form.get(isCode ? "code" : "refresh_token") ?? "";
    const [code, grant] = [codes.get(name), refresh.get(name)];
    spent.push(name);
    // Each is good once: refresh tokens rotate.
    (isCode ? codes : refresh).delete(name);
    if (!isCode) return grant ?? reused(name);
    const verifier = form.get("code_verifier") ?? "";
    given.add(verifier);
    const isOwn = code?.redirectURL === form.get("redirect_uri") && code?.challenge === sha256base64url(verifier);
    return isOwn ? code : undefined;
  }

  function reused(refreshToken: string): undefined {
    const login = owners.get(refreshToken) ?? "";
    for (const tokens of [access, refresh]) drop(tokens, login);
  }

  function issue(form: URLSearchParams): [status: number, body: JsonObject] {
    const name = form.get("refresh_token") ?? "";
    const again = lenient.has(owners.get(name) ?? "") ? answers.get(name) : undefined;
    if (again !== undefined) {
      spent.push(name);
      return [200, again];
    }
    const grant = redeemed(form);
    if (grant === undefined) return [400, { error: "invalid_grant" }];
    const [access_token, refresh_token] = [newSecret("access"), newSecret("refresh")];
    const { login, scope } = grant;
    pairs.set(login, [access_token, refresh_token]);
    access.set(access_token, { login, scope });
    refresh.set(refresh_token, { login, scope });
    owners.set(refresh_token, login);
    // Nobody checks its signature: it came from the token endpoint.
    const id_token = newSecret("id");
    const answer = { access_token, token_type: "Bearer", expires_in: hub.lifetime, refresh_token, id_token, scope };
    answers.set(name, answer);
    return [200, answer];
  }

  function answerToken(form: URLSearchParams, response: ServerResponse): void {
    const name = form.get("refresh_token") ?? "";
    const login = owners.get(name) ?? "";
    const how = silent.get(login);
    if (how === "before") spent.push(name);
    else {
      const answer = issue(form);
      if (how === undefined) json(response, ...answer);
    }
    silent.delete(login);
  }

  async function asAuthorizationServer(path: string, request: IncomingMessage, response: ServerResponse) {
    if (!isInstance(request)) {
      return json(response, 401, { error: "invalid_client" });
    }
    const form = new URLSearchParams(await text(request));
    if (path === "/token") {
      const { meanwhile } = hub;
      hub.meanwhile = undefined;
      await meanwhile?.();
      return answerToken(form, response);
    }
    if (hub.isDown) return json(response, 503, {});
    const taken = form.get("token") ?? "";
    revoked.push(taken);
    access.delete(taken);
    refresh.delete(taken);
    response.writeHead(200).end();
  }

  function grantOf(request: IncomingMessage): Grant | undefined {
    return access.get(tokenIn(request));
  }

  /** With what the caller's token is good for. */
  async function asResource(path: string, request: IncomingMessage, response: ServerResponse) {
    const { authorization = "" } = request.headers;
    const grant = grantOf(request);
    if (path === "/me" && grant !== undefined)
      return json(response, 200, { id: `id of ${grant.login}`, login: grant.login });
    calls.push(grant?.login);
    if (path !== "/mcp") arrived.push(tokenIn(request));
    if (path === "/open") return json(response, 200, { sent: authorization });
    if (grant === undefined) return response.writeHead(401, { "www-authenticate": "Bearer" }).end("who?");
    if (path === "/admin" && !grant.scope.split(" ").includes("notes:admin")) {
      const challenge = 'Bearer error="insufficient_scope", scope="notes:admin"';
      return response.writeHead(403, { "www-authenticate": challenge }).end("more");
    }
    if (path === "/parts") {
      const { range, "if-range": ifRange } = request.headers;
      response.setHeader("cache-control", "public, max-age=60");
      return json(response, 200, { range, ifRange });
    }
    // In headers, and in two pieces, too.
    if (path === "/echo") {
      const body = `before ${authorization} after`;
      response.writeHead(200, {
        ...{ "content-type": "text/plain", "content-length": body.length, "x-sent": authorization },
        ...{ location: `/next?token=${authorization.slice(7)}`, "set-cookie": [`t=${authorization.slice(7)}`, "u=1"] },
      });
      return response.write(body.slice(0, 20), () => setImmediate(() => response.end(body.slice(20))));
    }
    // An API that says what it was sent: nobody may see it.
    if (path !== "/mcp") return json(response, 200, { noteId: "1", title: `of ${grant.login}`, text: authorization });
    const sent = await text(request);
    const message: unknown = sent === "" ? {} : JSON.parse(sent);
    if (isJsonObject(message) && message.method === "tools/call") arrived.push(tokenIn(request));
    const claims = { sub: grant.login, scope: authorization };
    served.alone({ request, response, message: isJsonObject(message) ? message : {}, claims, session: undefined });
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://hub");
    if (pathname === "/authorize") return response.writeHead(302, { location: authorize(searchParams) }).end();
    if (pathname === "/token" || pathname === "/revoke") return void asAuthorizationServer(pathname, request, response);
    void asResource(pathname, request, response);
  });
  server.on("upgrade", (request, socket, head) => {
    const grant = grantOf(request);
    sockets.push(grant?.login);
    // A client that is not told would send its next request here, and find nobody.
    if (grant === undefined) socket.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    else echoSocket(request, socket, head);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hub: Hub = {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, given, calls, sockets },
    ...{ spent, revoked },
    ...{ arrived, spentOf, silent, lenient },
    ...{ login: "octo", lifetime: 3_600, meanwhile: undefined, isDown: false },
    tokensOf: (login) => {
      const pair = pairs.get(login);
      if (pair === undefined) throw new Error(`no tokens of ${login}`);
      return pair;
    },
    end: (login) => drop(access, login),
    forget: (login) => drop(refresh, login),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return hub;
}

/** RFC 6749 §2.3.1: both parts are form-encoded, which encoders may do to more characters than they have to. */
function isInstance({ headers: { authorization = "" } }: IncomingMessage): boolean {
  const [id, secret] = atob(authorization.replace("Basic ", "")).split(":").map(decodeForm);
  return id === HUB_CLIENT.clientId && secret === HUB_CLIENT.secret;
}

function decodeForm(text: string): string | null {
  return new URLSearchParams(`_=${text}`).get("_");
}

function drop(tokens: Map<string, Grant>, login: string): void {
  for (const [token, grant] of tokens) if (grant.login === login) tokens.delete(token);
}

function json(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function tokenIn({ headers: { authorization = "" } }: IncomingMessage): string {
  return /^Bearer ([^ ,]+)$/.exec(authorization)?.[1] ?? "";
}
