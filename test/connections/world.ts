import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { publicFetch } from "../../infra/node/net/agent-supplied.ts";
import type { OAuthConnectorConfiguration } from "../../lib/config/configuration.ts";
import { createProviderResolver } from "../../lib/connections/discover.ts";
import { openDocumentServer, PUBLIC_ADDRESS } from "../support/document-server.ts";
import { startInProcess } from "../support/in-process.ts";

export const MCP = "https://mcp.example/mcp";
export const KEYS = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64url"));
const RESOURCE = "https://mcp.example/.well-known/oauth-protected-resource";
const SERVER = "https://as.example/.well-known/oauth-authorization-server";

/** A public name that leads into the network here. */
export const REBOUND = "rebound.example";

/** The documents of a whole provider, to be changed. */
export const DOCUMENTS = {
  resource: { resource: MCP, authorization_servers: ["https://as.example"] },
  server: {
    issuer: "https://as.example",
    authorization_endpoint: "https://as.example/authorize",
    token_endpoint: "https://as.example/token",
    registration_endpoint: "https://as.example/register",
    code_challenge_methods_supported: ["S256"],
  },
};

export const CONNECTOR: OAuthConnectorConfiguration = {
  name: "saas",
  type: "oauth",
  endpoints: { kind: "discover", resource: MCP },
  clientMetadata: false,
  disablePKCE: false,
  refresh: { grace: 0, timeout: 10_000 },
};

/** A provider as an MCP server elsewhere has it, and what this instance does about it. */
export async function openWorld() {
  const server = await openDocumentServer(["mcp.example", "as.example", "evil.example", "op.example", REBOUND]);
  const instance = await startInProcess();
  const registered: unknown[] = [];
  const sent: string[] = [];
  // Names resolve to a public address, which is this server; whatever is inside some network is told by its name or address.
  const pinned = publicFetch({
    resolve: async (name) => [name === REBOUND ? "127.0.0.1" : PUBLIC_ADDRESS],
    connectTo: { host: "127.0.0.1", port: server.port },
    ca: server.ca,
  });
  const direct: typeof fetch = (input, init) => {
    const url = String(input);
    sent.push(url);
    return url.startsWith("https:") ? pinned(input, init) : fetch(input, init);
  };

  const world = {
    server,
    registered,
    /** Addresses that were called as the operator's own. */
    sent,
    clock: instance.clock,
    serve(documents: { readonly resource?: unknown; readonly server?: unknown } = {}) {
      const { resource, server: metadata } = { ...DOCUMENTS, ...documents };
      server.serve(`${RESOURCE}/mcp`, resource as object);
      server.serve(SERVER, metadata as object);
    },
    /** Answers registrations with a client, numbered. */
    takeRegistrations(more: (count: number) => object | Promise<object> = () => ({}), status = 201) {
      server.serve("https://as.example/register", (request: IncomingMessage, response: ServerResponse) => {
        let text = "";
        request.on("data", (chunk) => {
          text += chunk;
        });
        request.on("end", async () => {
          const count = registered.push(JSON.parse(text));
          const body = { client_id: `client-${count}`, client_secret: `secret-${count}`, ...(await more(count)) };
          response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
        });
      });
    },
    resolver({ connector = CONNECTOR, keys = KEYS.slice(0, 1), publicURL = "https://gw.intranet" } = {}) {
      const configuration = { oauthConnectors: [connector], vaultKeys: keys, publicURL };
      return createProviderResolver(configuration, {
        ...instance.dependencies,
        outbound: () => direct,
        publicFetch: pinned,
      });
    },
    /** All that the store keeps, as it is in its files. */
    storeText: async () => {
      const files = readdirSync(instance.folder, { recursive: true, withFileTypes: true }).filter((one) =>
        one.isFile(),
      );
      return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("");
    },
    close: () => Promise.all([server.close(), instance.close()]),
  };
  world.serve();
  world.takeRegistrations();
  return world;
}

export type World = Awaited<ReturnType<typeof openWorld>>;
