import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { sha256base64url } from "#sha256";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { createServed } from "../mcp-proxy/served.ts";
import { HUB_CLIENT } from "./configuration.ts";

/** A SaaS: an authorization server that trusts nobody's tokens but its own, and a REST API and an MCP server that take these. */
export interface Hub {
  readonly url: string;
  /** Everything secret that it ever gave: codes, access tokens and refresh tokens. */
  readonly given: ReadonlySet<string>;
  /** What came to its API and its MCP server, oldest first: whose token it was; undefined where it was none that is good. */
  readonly calls: readonly (string | undefined)[];
  /** Refresh tokens that came to the token endpoint, and codes. */
  readonly spent: readonly string[];
  /** Tokens that were taken back. */
  readonly revoked: readonly string[];
  /** Who is signed in there; undefined: whoever comes says no. */
  login: string | undefined;
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
  const [given, calls, spent, revoked] = [
    new Set<string>(),
    [] as Hub["calls"][number][],
    [] as string[],
    [] as string[],
  ];
  const served = createServed();
  const newSecret = (kind: string): string => {
    const made = `hub_${kind}_${crypto.randomUUID().replaceAll("-", "")}`;
    given.add(made);
    return made;
  };

  function authorize(query: URLSearchParams): string {
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("state", query.get("state") ?? "");
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
    if (!isCode) return grant;
    const isOwn =
      code?.redirectURL === form.get("redirect_uri") &&
      code?.challenge === sha256base64url(form.get("code_verifier") ?? "");
    return isOwn ? code : undefined;
  }

  function issue(form: URLSearchParams): [status: number, body: JsonObject] {
    const grant = redeemed(form);
    if (grant === undefined) return [400, { error: "invalid_grant" }];
    const [access_token, refresh_token] = [newSecret("access"), newSecret("refresh")];
    const { login, scope } = grant;
    access.set(access_token, { login, scope });
    refresh.set(refresh_token, { login, scope });
    return [200, { access_token, token_type: "Bearer", expires_in: hub.lifetime, refresh_token, scope }];
  }

  async function asAuthorizationServer(path: string, request: IncomingMessage, response: ServerResponse) {
    if (!isInstance(request)) {
      return json(response, 401, { error: "invalid_client" });
    }
    const form = new URLSearchParams(await text(request));
    if (path === "/token") return json(response, ...issue(form));
    const taken = form.get("token") ?? "";
    revoked.push(taken);
    access.delete(taken);
    refresh.delete(taken);
    response.writeHead(200).end();
  }

  /** With what the caller's token is good for. */
  async function asResource(path: string, request: IncomingMessage, response: ServerResponse) {
    const { authorization = "" } = request.headers;
    const grant = access.get(/^Bearer ([^ ,]+)$/.exec(authorization)?.[1] ?? "");
    if (path === "/me" && grant !== undefined)
      return json(response, 200, { id: `id of ${grant.login}`, login: grant.login });
    calls.push(grant?.login);
    if (grant === undefined) return response.writeHead(401, { "www-authenticate": "Bearer" }).end("who?");
    // An API that says what it was sent: nobody may see it.
    if (path !== "/mcp") return json(response, 200, { noteId: "1", title: `of ${grant.login}`, text: authorization });
    const sent = await text(request);
    const message: unknown = sent === "" ? {} : JSON.parse(sent);
    const claims = { sub: grant.login, scope: authorization };
    served.alone({ request, response, message: isJsonObject(message) ? message : {}, claims, session: undefined });
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://hub");
    if (pathname === "/authorize") return response.writeHead(302, { location: authorize(searchParams) }).end();
    if (pathname === "/token" || pathname === "/revoke") return void asAuthorizationServer(pathname, request, response);
    void asResource(pathname, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hub: Hub = {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, given, calls, spent, revoked },
    ...{ login: "octo", lifetime: 3_600 },
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
