import type { IncomingMessage, ServerResponse } from "node:http";
import { SERVER_INFO, STATELESS_CAPABILITIES } from "../capabilities.ts";
import { METHODS } from "../features/methods.ts";
import { header, refuse } from "../http.ts";
import {
  INTERNAL_ERROR,
  type JsonObject,
  METHOD_NOT_FOUND,
  RpcError,
  type RpcMessage,
  type RpcRequest,
} from "../json-rpc.ts";
import { isTaskMethod, runTaskMethod } from "../tasks/methods.ts";
import { type AnswerForm, createAnswerForm } from "./answer-form.ts";
import { type StatelessServer, statelessContext } from "./context.ts";
import { refuseHeaders } from "./headers.ts";
import { InputRequired, inputRequiredResult } from "./input.ts";
import { listen } from "./listen.ts";
import { type Envelope, readEnvelope, refuseVersion, SERVER_INFO_KEY, STATELESS_REVISION } from "./meta.ts";

const CACHEABLE: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);
const CACHE = { ttlMs: 1000, cacheScope: "public" } as const;

/** A POST of the revision without a handshake (MCP 2026-07-28, Transports, Streamable HTTP). */
export async function statelessPost(
  request: IncomingMessage,
  message: RpcMessage,
  response: ServerResponse,
  server: StatelessServer,
): Promise<void> {
  if (message.kind === "response") return refuse(response, 400, "Nothing is ever asked in this revision.");
  if (header(request, "mcp-session-id") !== undefined) return refuse(response, 400, "This revision has no sessions.");
  if (message.kind === "notification") {
    response.writeHead(202).end();
    return;
  }
  const form = createAnswerForm(response, message.id, message.method === "tools/call");
  try {
    const envelope = readEnvelope(message);
    refuseHeaders(request, message, envelope);
    refuseVersion(envelope);
    if (message.method === "subscriptions/listen") return listen(message, response, server.changes);
    form.succeed(finished(message, await run(message, envelope, form, response, server)));
  } catch (cause) {
    form.fail(cause instanceof RpcError ? cause : new RpcError(INTERNAL_ERROR, String(cause)));
  }
}

async function run(
  message: RpcRequest,
  envelope: Envelope,
  form: AnswerForm,
  response: ServerResponse,
  server: StatelessServer,
): Promise<JsonObject> {
  const { method, params } = message;
  if (method === "server/discover")
    return { supportedVersions: [STATELESS_REVISION], capabilities: STATELESS_CAPABILITIES };
  if (isTaskMethod(method)) return runTaskMethod(method, params, envelope.clientCapabilities, server.tasks);
  const shared = METHODS.get(method);
  if (shared === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
  try {
    return await shared(statelessContext(message, envelope, form, response, server));
  } catch (cause) {
    if (cause instanceof InputRequired) return inputRequiredResult(cause, message, server.states);
    throw cause;
  }
}

/** Every result says whether it is whole and whose it is; lists and reads, how long they may be kept. */
function finished({ method }: RpcRequest, result: JsonObject): JsonObject {
  const cache = CACHEABLE.has(method) ? CACHE : {};
  return { resultType: "complete", ...cache, ...result, _meta: { [SERVER_INFO_KEY]: SERVER_INFO } };
}
