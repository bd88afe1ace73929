import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { createServed, type Exchange, type Served } from "./served.ts";

export type ServerName = "held" | "plain" | "lame" | "bare";

/** A request that came, with what its token says. */
export interface Seen {
  readonly server: ServerName;
  readonly headers: IncomingHttpHeaders;
  readonly session: string | undefined;
  /** Of the message; empty where there is none. */
  readonly method: string;
  readonly message: JsonObject;
  readonly claims: JWTPayload;
}

/** MCP servers at one address, of which two take tokens of one issuer alone. */
export interface McpServers {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** Which tokens are good. */
  expect(keys: JWTVerifyGetKey, issuer: string, audience: string): void;
  /** The next calls of tools are answered with 401, however good their tokens. */
  refuse(calls: number): void;
  /** From now on `lame` answers nothing, until what is returned is called. */
  silence(): () => void;
  /** Requests that `lame` does not answer. */
  readonly silent: number;
  /** `held` knows none of its sessions any more. */
  forget(): void;
  /** How many streams there are on which changes are told on behalf of a subject. */
  listening(sub: string): number;
  /** All say to whoever listens that their tools have changed. */
  tellChange(): void;
  stop(): Promise<void>;
}

export async function startMcpServers(): Promise<McpServers> {
  const seen: Seen[] = [];
  const served: Served = createServed();
  const silent = new Set<() => void>();
  let isSilent = false;
  let toRefuse = 0;
  let verify = async (_token: string): Promise<JWTPayload | undefined> => undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const server = (request.url ?? "").slice(1) as ServerName;
    const message = await readMessage(request);
    const [, token = ""] = /^Bearer ([^ ,]+)$/.exec(request.headers.authorization ?? "") ?? [];
    const claims = server === "lame" || server === "bare" ? {} : await verify(token);
    const session = request.headers["mcp-session-id"] as string | undefined;
    const method = String(message.method ?? "");
    seen.push({ server, headers: request.headers, session, method, message, claims: claims ?? {} });
    if (claims === undefined || (method === "tools/call" && toRefuse-- > 0)) {
      response
        .writeHead(401, { "www-authenticate": 'Bearer error="invalid_token", scope="of the server"' })
        .end("who?");
      return;
    }
    const exchange: Exchange = { request, response, message, claims, session };
    if (server === "held") served.inSession(exchange);
    else if (server !== "lame" || !isSilent) served.alone(exchange);
    else silent.add(() => served.alone(exchange));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    expect: (keys, issuer, audience) => {
      verify = (token) =>
        jwtVerify(token, keys, { issuer, audience, typ: "at+jwt" }).then(
          ({ payload }) => payload,
          () => undefined,
        );
    },
    refuse: (calls) => {
      toRefuse = calls;
    },
    silence: () => {
      isSilent = true;
      return () => {
        isSilent = false;
        for (const answerNow of silent) answerNow();
        silent.clear();
      };
    },
    get silent() {
      return silent.size;
    },
    forget: served.forget,
    listening: served.listening,
    tellChange: served.tellChange,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readMessage(request: IncomingMessage): Promise<JsonObject> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const message: unknown = text === "" ? {} : JSON.parse(text);
  return isJsonObject(message) ? message : {};
}
