import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { McpBridgeAppConfiguration } from "../../../lib/config/app-configuration.ts";
import { compileConfiguration } from "../../../lib/config/compile.ts";
import { ConfigurationError } from "../../../lib/config/messages.ts";
import { resolveConfiguration } from "../../../lib/config/resolve.ts";
import { environmentSecrets } from "../../../lib/secrets/env.ts";

export interface ArrivedRequest {
  /** Path and query as they were on the wire. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** An API that answers with what it was sent, on a loopback port. */
export interface EchoingApi {
  readonly url: string;
  /** Oldest first. */
  readonly requests: readonly ArrivedRequest[];
  /** The status of the answers from now on, and what they are in place of what was sent. */
  answerWith(status: number, answer?: { readonly contentType: string; readonly body: string }): void;
  stop(): Promise<void>;
}

export async function startEchoingApi(): Promise<EchoingApi> {
  const requests: ArrivedRequest[] = [];
  let status = 200;
  let answer: Parameters<EchoingApi["answerWith"]>[1];
  const server = createServer(({ url = "", headers }, response) => {
    requests.push({ url, headers });
    const { contentType = "application/json", body = JSON.stringify({ next: url, headers }) } = answer ?? {};
    response.writeHead(status, { "content-type": contentType }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answerWith: (nextStatus, nextAnswer) => {
      [status, answer] = [nextStatus, nextAnswer];
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const operation = (operationId: string, more: object = {}) => ({
  get: { operationId, responses: { 200: { description: "What was sent." } }, ...more },
});
const query = (name: string, schema: object = { type: "string" }) => ({ name, in: "query", schema });

/** One operation for each kind of security scheme, named like its scheme, and some that ask for more or less. */
export const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Echo", version: "1" },
  security: [{ inHeader: [] }],
  paths: {
    "/default": operation("byDefault"),
    ...Object.fromEntries(
      ["inHeader", "inQuery", "inCookie", "basic", "bearer", "oauth", "openId"].map((name) => [
        `/${name}`,
        operation(name, { security: [{ [name]: [] }] }),
      ]),
    ),
    "/either": operation("either", { security: [{ basic: [] }, { inQuery: [] }] }),
    "/both": operation("both", { security: [{ inQuery: [], inCookie: [] }] }),
    "/optional": operation("optional", { security: [{}, { inQuery: [] }] }),
    "/open": operation("open", { security: [] }),
    "/cookies": operation("cookies", {
      security: [{ inCookie: [] }],
      parameters: [
        { name: "theme", in: "cookie", schema: { type: "string" } },
        { name: "session", in: "cookie", required: true, schema: { type: "string" } },
      ],
    }),
    "/certificate": operation("certificate", { security: [{ certificate: [], inQuery: [] }] }),
    "/declared": operation("declared", {
      security: [],
      parameters: [
        { ...query("api_key"), required: true },
        { name: "x-api-key", in: "header", schema: { type: "string" } },
        { name: "X-User", in: "header", schema: { type: "string" } },
        { ...query("filter", { type: "object", additionalProperties: { type: "string" } }), explode: true },
      ],
    }),
  },
  components: {
    securitySchemes: {
      inHeader: { type: "apiKey", in: "header", name: "X-Api-Key" },
      inQuery: { type: "apiKey", in: "query", name: "api_key" },
      inCookie: { type: "apiKey", in: "cookie", name: "session" },
      basic: { type: "http", scheme: "Basic" },
      bearer: { type: "http", scheme: "bearer" },
      oauth: { type: "oauth2", flows: {} },
      openId: { type: "openIdConnect", openIdConnectUrl: "https://as.example/x" },
      digest: { type: "http", scheme: "digest" },
      certificate: { type: "mutualTLS" },
    },
  },
};

/** The app `echo` as the configuration makes it: its document, its `upstream`, and values of secrets by reference. */
export async function echoApp(
  baseURL: string,
  upstream: object,
  secrets: Readonly<Record<string, string>> = {},
  document: object = DOCUMENT,
): Promise<McpBridgeAppConfiguration> {
  const openapi = { baseURL, spec: { data: JSON.stringify(document) } };
  const app = { type: "mcpBridge", name: "echo", toolNamespace: { disabled: true }, openapi, upstream };
  const text = JSON.stringify({ version: 1, apps: [app] });
  const readDocument = () => Promise.reject(new Error("the document is inline"));
  const result = await compileConfiguration(text, { file: "countersign.yaml", readDocument });
  if ("errors" in result) throw new ConfigurationError(result.errors);
  const { configuration } = await resolveConfiguration(result.artifact, {
    environment: {},
    secrets: environmentSecrets(secrets)("env://S_"),
    runtime: "node",
  });
  return configuration.apps[0] as McpBridgeAppConfiguration;
}
