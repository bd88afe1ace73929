import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Issued } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";

/** An OpenID provider on a loopback port, of which a test decides whether it is there and what it answers. */
export interface TestProvider {
  readonly issuer: string;
  readonly wellKnownURL: string;
  /** Paths and queries requested so far. */
  readonly requests: readonly string[];
  /** Requests that `hold` keeps waiting. */
  readonly held: number;
  /** The discovery document, correct unless `more` says otherwise; an undefined member is left out. Its JWKS is empty. */
  describe(more?: Readonly<Record<string, unknown>>): void;
  /** What becomes of every request from now on. */
  answer(respond: (response: ServerResponse) => void): void;
  /** Answers no request until `describe` or `answer`; those that came meanwhile stay without. */
  hold(): void;
  /** Nothing listens on its port until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

export const WELL_KNOWN = "/.well-known/openid-configuration";

export interface ProviderOptions {
  /** Serves over TLS with it. */
  readonly certificate?: Issued;
  /** Part of the issuer, for example `/tenant`. */
  readonly path?: string;
}

/** Up and correct at first. */
export async function startProvider({ certificate, path = "" }: ProviderOptions = {}): Promise<TestProvider> {
  const requests: string[] = [];
  const held = new Set<ServerResponse>();
  let respond: (response: ServerResponse, path: string) => void;
  const listener: RequestListener = (request, response) => {
    const { url = "" } = request;
    requests.push(url);
    response.on("close", () => held.delete(response));
    respond(response, url);
  };
  const create = (): Server =>
    certificate === undefined ? createHttpServer(listener) : createHttpsServer(certificate, listener);
  const port = await freePort();
  let server = await listening(create(), port);
  const issuer = `${certificate === undefined ? "http" : "https"}://127.0.0.1:${port}${path}`;

  const down = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const describe: TestProvider["describe"] = (more = {}) => {
    const text = JSON.stringify({ ...documentOf(issuer), ...more });
    respond = (response, url) => {
      const isDocument = url.includes(WELL_KNOWN);
      response.writeHead(200, { "content-type": "application/json" }).end(isDocument ? text : '{"keys":[]}');
    };
  };
  describe();
  return {
    issuer,
    wellKnownURL: issuer + WELL_KNOWN,
    requests,
    get held() {
      return held.size;
    },
    describe,
    answer: (next) => {
      respond = next;
    },
    hold: () => {
      respond = (response) => held.add(response);
    },
    down,
    up: async () => {
      server = await listening(create(), port);
    },
    stop: down,
  };
}

/** What the specification requires of it (OpenID Connect Discovery 1.0 §3). */
function documentOf(issuer: string): Readonly<Record<string, unknown>> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
  };
}

async function listening(server: Server, port: number): Promise<Server> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
