import type { McpStreamConfiguration } from "../config/configuration.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Caller } from "./caller.ts";
import { createMcpEndpoint, type McpEndpoint } from "./endpoint.ts";
import { methodNotAllowed } from "./method-not-allowed.ts";
import { noOperations, startOperations } from "./operations.ts";
import { readMessage } from "./read-message.ts";
import { sessionDelete } from "./session-delete.ts";
import { sessionGet } from "./session-get.ts";
import { sessionPost } from "./session-post.ts";
import { isStateless } from "./stateless/claim.ts";
import { statelessPost } from "./stateless/post.ts";

/** The stream path (Streamable HTTP): both generations of MCP, told apart by each request. Built once a configuration. */
export function createMcpStream(stream: McpStreamConfiguration, gateway: Gateway): McpEndpoint {
  return createMcpEndpoint(stream, gateway, async (request, sender) => {
    const operations = noOperations(sender.request);
    const caller = { ...sender, http: request, signal: request.signal, operations };
    switch (request.method) {
      case "POST":
        return post(request, caller, stream, gateway);
      case "GET":
        return sessionGet(request, caller, stream, gateway);
      case "DELETE":
        return sessionDelete(request, caller, stream, gateway);
      default:
        return methodNotAllowed(stream, gateway);
    }
  });
}

async function post(
  request: Request,
  from: Caller,
  stream: McpStreamConfiguration,
  gateway: Gateway,
): Promise<Response> {
  const body = await readMessage(request);
  if (body instanceof Response) return body;
  const { message } = body;
  const text = Array.isArray(message) ? undefined : body.text;
  const operations = startOperations(message, request.headers, from, gateway);
  const serve = isStateless(request, message) ? statelessPost : sessionPost;
  const response = await serve(request, message, { ...from, operations, text }, stream, gateway);
  operations.answered(response.status);
  return response;
}
