import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { configuredOutbound } from "../../../infra/node/net/configured-outbound.ts";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { RpcAnswer } from "../../behaviour/gateway-fixture.ts";
import { START } from "../../support/in-process.ts";
import { mcpServer, toolOf } from "../tools/mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "../tools/proxying-gateway.ts";

/** A request that a bad upstream got. */
export interface Received {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly message: JsonObject;
  /** `id` as JSON. */
  readonly id: string;
  readonly method: string;
}

export type Behaviour = (received: Received) => void;

/** The gateway before a good and a bad MCP server, which is reached as on Node. */
export interface Hostile {
  readonly gateway: ProxyingGateway;
  /** From now on the bad one does this with requests of a method; of the others it has one tool, `bad_tool`. */
  does(behaviour: Behaviour, method?: string): void;
  /** What it got in this test. */
  readonly received: readonly Received[];
  /** Records of its tools in this test, newest first. */
  records(): Promise<readonly AuditEvent[]>;
  /** Resolves when it was left before its last answer was out. */
  left(): Promise<void>;
}

/** How long it may be silent, milliseconds. */
export const TIMEOUT = 1_500;
/** Whatever was learnt of it is forgotten meanwhile. */
const AGES = 20 * 60_000;

export function withHostile(): Hostile {
  let gateway: ProxyingGateway;
  let behaviours: Readonly<Record<string, Behaviour>> = {};
  let received: Received[] = [];
  let day = 0;
  let since = 0;

  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const parsed: unknown = text === "" ? {} : JSON.parse(text);
    const message = isJsonObject(parsed) ? parsed : {};
    const one = { request, response, message, id: JSON.stringify(message.id), method: String(message.method ?? "") };
    received.push(one);
    (behaviours[one.method] ?? behave)(one);
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    gateway = await proxyingGateway({
      servers: { good: mcpServer([toolOf("fine")]), bad: mcpServer([]) },
      more: { timeout: TIMEOUT },
      adapt: (dependencies) => {
        const simulated = dependencies.outbound();
        const real = configuredOutbound({ tls: {}, environment: {}, logger: dependencies.logger })();
        const isBad = (input: Parameters<typeof fetch>[0]) => String(input) === "https://bad.example/mcp";
        return {
          ...dependencies,
          outbound: () => (input, init) => (isBad(input) ? real(url, init) : simulated(input, init)),
        };
      },
    });
  });
  beforeEach(() => {
    day += 1;
    since = START + day * AGES;
    gateway.clock.set(since);
    received = [];
    behaviours = {};
  });
  afterAll(async () => {
    server.closeAllConnections();
    await gateway.close();
    server.close();
  });

  return {
    get gateway() {
      return gateway;
    },
    does: (behaviour, method = "tools/call") => {
      behaviours = { ...behaviours, [method]: behaviour };
    },
    get received() {
      return received;
    },
    records: async () => {
      const { auditLog, directory } = gateway.dependencies.stores;
      const { organizationId = "" } = (await directory.firstOrganization()) ?? {};
      const { items } = await auditLog.query({ organizationId, type: "tool.invoked" }, { limit: 100 });
      return items.filter(({ time, app }) => time >= since && app === "bad");
    },
    left: async () => {
      const { response } = received.at(-1) as Received;
      await expect.poll(() => response.destroyed, { timeout: 5_000 }).toBe(true);
      expect(response.writableFinished).toBe(false);
    },
  };
}

const SAID = { capabilities: { tools: { listChanged: true } }, serverInfo: { name: "bad", version: "1" } };
const RESULTS: Readonly<Record<string, JsonObject>> = {
  "server/discover": { resultType: "complete", supportedVersions: ["2026-07-28"], ...SAID },
  initialize: { protocolVersion: "2025-11-25", ...SAID },
  "tools/list": { resultType: "complete", tools: [toolOf("tool")], ttlMs: 60_000 },
};

/** What every server does, in both generations. */
function behave({ request, response, id, method }: Received): void {
  const result = RESULTS[method];
  if (method === "server/discover" && request.headers["mcp-method"] === undefined) response.writeHead(400).end();
  else if (result !== undefined) {
    if (method === "initialize") response.setHeader("mcp-session-id", "a session");
    answers(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`)({ response });
  } else if (request.method !== "POST") response.writeHead(405).end();
  else response.writeHead(202).end();
}

type Responding = (received: Pick<Received, "response">) => void;

/** Answers with this. */
export function answers(body: string | Uint8Array, type = "application/json", status = 200): Responding {
  return ({ response }) => void response.writeHead(status, { "content-type": type }).end(body);
}

/** Text of a result that says something. */
export function resultOf(id: string, text = "at last"): string {
  const result = { resultType: "complete", content: [{ type: "text", text }] };
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`;
}

export function beginEvents({ response }: Pick<Received, "response">): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
}

/** Writes again and again, at the reader's pace, until nobody reads. */
export function writeEndlessly(response: ServerResponse, next: () => string): void {
  const write = () => {
    while (!response.destroyed && response.write(next()));
    if (!response.destroyed) response.once("drain", write);
  };
  write();
}

/** The messages of an answer, without events that were withdrawn. */
export function messagesIn(body: string): readonly RpcAnswer[] {
  const events = [...body.matchAll(/^event: message\ndata: (.*)$/gm)].map(([, data = ""]) => data);
  return (body.startsWith("{") ? [body] : events).map((text) => JSON.parse(text));
}

/** What no answer may show: where in our code it went wrong, and addresses. */
export function expectNothingInside(text: string): void {
  expect(text).not.toMatch(/\bat [\w.<>]+ \(|\.ts:\d|node:internal|node_modules|TypeError|RangeError|127\.0\.0\.1/);
}
