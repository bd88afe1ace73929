import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { run } from "../../../infra/node/commands/tools.ts";

/** Four operations that become tools, and one that does not. */
export const LEDGER = `openapi: 3.1.0
info: {title: Ledger, version: "1"}
servers: [{url: "https://ledger.example/v1"}]
security: [{key: []}]
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
paths:
  /payments:
    get:
      operationId: payments/list
      summary: List payments
      tags: [payments]
      parameters:
        - {name: "state[]", in: query, description: In which state., schema: {type: array, items: {enum: [open, paid]}}}
    post:
      operationId: addPayment
      summary: Add a payment
      description: "Books a payment.\\nAt \\e[31monce."
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [amount]
              properties: {amount: {type: integer}, due: {type: [string, "null"], format: date}}
      responses:
        "201": {description: Added, content: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}}
  /payments/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    delete: {}
    put:
      operationId: attach
      parameters: [{name: page, in: query, style: deepObject, schema: {anyOf: [{type: object}, {type: integer}]}}]
      requestBody: {content: {image/png: {}}}
    trace: {}
`;

/** No server. */
const STOCK = `openapi: 3.0.3
info: {title: Stock, version: "1"}
paths:
  /items: {get: {operationId: listItems, summary: "List all the items that are in stock, in the order in which they came"}}
`;

/** Both, with every kind of rule; and an app that is not served. */
export const CONFIGURATION = `version: "1"
http: {publicURL: "https://gateway.example"}
oidcProvider: {region: us}
mcpProvider:
  enabled: true
  catalog: {threshold: 2}
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: https://gateway.example/.well-known/openid-configuration
          tokenValidation: {method: jwt, expectedAudiences: ["https://gateway.example/mcp"]}
apps:
  - name: ledger
    type: mcpBridge
    openapi: {spec: {uri: file://ledger.yaml}}
    authorization:
      inbound:
        cel: "true"
        rules: [{opa: {name: hours, url: "http://localhost:8181/"}}, {cel: "true"}]
        tools: [{name: addPayment, scopes: ["ledger:write", "{{ env.SCOPE }}"]}, {name: /.*/, scopes: ["ledger:read"]}]
        stepUp: [{tools: [/add.*/], acr: urn:strong, maxAge: 5m}]
      outbound:
        type: tokenExchange
        tokenExchange:
          idp: oidcProvider
          audience: https://ledger.example/
          tools: [{name: addPayment, ttl: 10s, scopes: [{name: Ledger.Write}]}]
  - name: stock
    type: mcpBridge
    openapi: {spec: {uri: file://stock.yaml}, baseURL: "http://stock.example"}
  - {name: gateway, type: oidc, clientID: gateway, credentials: {secrets: [<gateway.secret>]}, grantTypes: ["urn:ietf:params:oauth:grant-type:token-exchange"], allowedAudiences: ["https://ledger.example/"], customScopes: {scopes: [{name: Ledger.Write}]}, tokenExchange: {subjectAudiences: ["https://gateway.example/mcp"]}}
`;

export interface Workplace {
  readonly folder: string;
  /** `countersign tools` on the configuration: what it writes to stdout. */
  readonly ofConfig: (...args: readonly string[]) => Promise<string>;
  /** The same on the document of the first app alone. */
  readonly ofDocument: (...args: readonly string[]) => Promise<string>;
  readonly remove: () => Promise<void>;
}

/** A folder with a configuration and its two documents. */
export async function createWorkplace(): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-tools-"));
  const [config, ledger] = [join(folder, "countersign.yaml"), join(folder, "ledger.yaml")];
  await writeFile(config, CONFIGURATION);
  await writeFile(ledger, LEDGER);
  await writeFile(join(folder, "stock.yaml"), STOCK);
  return {
    folder,
    ofConfig: (...args) => tools(["-config", config, ...args]),
    ofDocument: (...args) => tools(["-openapi", ledger, ...args]),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** What the command writes to stdout, which is a terminal where it has columns. */
export async function tools(args: readonly string[], columns?: number): Promise<string> {
  let stdout = "";
  const write = (text: string) => {
    stdout += text;
  };
  expect(await run(args, { stdout: write, stderr: () => undefined, columns, environment: {} })).toBe(0);
  return stdout;
}
