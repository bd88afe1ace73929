import type { IncomingMessage, ServerResponse } from "node:http";
import type { JWTPayload } from "jose";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { METHODS, type MethodContext } from "./methods.ts";

/** An HTTP request that is answered. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly message: JsonObject;
  readonly claims: JWTPayload;
  readonly session: string | undefined;
}

/** The two generations of MCP, with the same methods. */
export interface Served {
  /** MCP 2025-11-25. */
  inSession(exchange: Exchange): void;
  /** MCP 2026-07-28. */
  alone(exchange: Exchange): void;
  forget(): void;
  listening(sub: string): number;
  tellChange(): void;
}

interface Session {
  readonly capabilities: JsonObject;
  readonly asked: Map<unknown, (message: JsonObject) => void>;
}

const SERVER = {
  serverInfo: { name: "server", version: "1" },
  capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {} },
};
const CHANGED = "notifications/tools/list_changed";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

export function createServed(): Served {
  const sessions = new Map<string, Session>();
  const listening = new Set<{ readonly sub: string | undefined; readonly tell: () => void }>();
  let begun = 0;

  const listen = ({ response, claims }: Exchange, params: JsonObject): void => {
    const tell = () => send(response, { jsonrpc: "2.0", method: CHANGED, params });
    const one = { sub: claims.sub, tell };
    listening.add(one);
    response.once("close", () => listening.delete(one));
  };

  function begin({ response, message }: Exchange): void {
    const { protocolVersion, capabilities } = paramsOf(message);
    const id = `session-${++begun}`;
    sessions.set(id, { capabilities: isJsonObject(capabilities) ? capabilities : {}, asked: new Map() });
    const headers = { "content-type": "application/json", "mcp-session-id": id };
    response.writeHead(200, headers).end(resultText(message, { protocolVersion, ...SERVER }));
  }

  return {
    inSession: (exchange) => {
      const { request, response, message, session = "" } = exchange;
      const { id, method } = message;
      if (method === "initialize") return begin(exchange);
      const known = sessions.get(session);
      if (known === undefined) return void response.writeHead(404).end();
      if (request.method === "GET") {
        events(response);
        return listen(exchange, {});
      }
      if (request.method === "DELETE") {
        sessions.delete(session);
        return void response.writeHead(204).end();
      }
      if (method === undefined) known.asked.get(id)?.(message);
      if (method === undefined || id === undefined) return void response.writeHead(202).end();
      const ask: MethodContext["ask"] = (asked) => {
        const answered = Promise.withResolvers<JsonObject>();
        const question = `question ${id}`;
        known.asked.set(question, ({ result }) => answered.resolve(isJsonObject(result) ? result : {}));
        send(response, { jsonrpc: "2.0", id: question, ...asked });
        return answered.promise;
      };
      void answer(exchange, known.capabilities, ask);
    },
    alone: (exchange) => {
      const { request, response, message } = exchange;
      if (request.method !== "POST") return void response.writeHead(405).end();
      const { method, id } = message;
      const { _meta, inputResponses } = paramsOf(message);
      const capabilities = isJsonObject(_meta) ? _meta[CAPABILITIES] : undefined;
      if (!isJsonObject(capabilities)) return void response.writeHead(400).end();
      if (method === "server/discover") {
        const said = { resultType: "complete", supportedVersions: ["2026-07-28"], ...SERVER };
        return json(response, resultText(message, said));
      }
      if (method === "subscriptions/listen") {
        const { notifications } = paramsOf(message);
        const named = { _meta: { [SUBSCRIPTION]: id } };
        const params = { notifications, ...named };
        send(events(response), { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params });
        return listen(exchange, named);
      }
      const given = isJsonObject(inputResponses) ? inputResponses.who : undefined;
      const ask: MethodContext["ask"] = async (asked) => (isJsonObject(given) ? given : { input: asked });
      void answer(exchange, capabilities, ask);
    },
    forget: () => sessions.clear(),
    listening: (wanted) => [...listening].filter(({ sub }) => sub === wanted).length,
    tellChange: () => {
      for (const { tell } of listening) tell();
    },
  };
}

/** Calls of tools on an event stream, all others as JSON. */
async function answer(
  { response, message, claims }: Exchange,
  capabilities: JsonObject,
  ask: MethodContext["ask"],
): Promise<void> {
  const method = METHODS[String(message.method)];
  const notify = (told: string, params: JsonObject) => send(response, { jsonrpc: "2.0", method: told, params });
  const isCall = message.method === "tools/call";
  if (isCall && paramsOf(message).name === "crash") return void response.writeHead(500).end("a stack trace of mine");
  if (isCall) events(response);
  const params = paramsOf(message);
  const result = await method?.({ params, claims, capabilities, ask, notify });
  const error = { code: -32601, message: "Method not found" };
  const text =
    result === undefined ? JSON.stringify({ jsonrpc: "2.0", id: message.id, error }) : resultText(message, result);
  if (isCall) response.end(`data: ${text}\n\n`);
  else json(response, text);
}

function paramsOf({ params }: JsonObject): JsonObject {
  return isJsonObject(params) ? params : {};
}

function resultText({ id }: JsonObject, result: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

function json(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "application/json" }).end(text);
}

function events(response: ServerResponse): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  return response;
}

function send(response: ServerResponse, message: JsonObject): void {
  response.write(`data: ${JSON.stringify(message)}\n\n`);
}
