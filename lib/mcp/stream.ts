import type { McpStreamConfiguration } from "../config/configuration.ts";
import type { Caller } from "./caller.ts";
import { createMcpEndpoint, type EndpointPorts, type McpEndpoint } from "./endpoint.ts";
import { leavingWith } from "./message-room.ts";
import type { CalleePorts } from "./operations.ts";
import { noOperations, startOperations } from "./operations.ts";
import { type RoomPorts, readMessage } from "./read-message.ts";
import { type SessionPostPorts, sessionPost } from "./session-post.ts";
import {
  methodNotAllowed,
  type SessionDeletePorts,
  type SessionGetPorts,
  sessionDelete,
  sessionGet,
} from "./session-stream.ts";
import { isStateless } from "./stateless/envelope.ts";
import { type StatelessPorts, statelessPost } from "./stateless/post.ts";

export type StreamEndpointPorts = EndpointPorts &
  CalleePorts &
  RoomPorts &
  SessionDeletePorts &
  SessionGetPorts &
  SessionPostPorts &
  StatelessPorts;

/** The stream path (Streamable HTTP): both generations of MCP, told apart by each request. Built once a configuration. */
export function createMcpStream(stream: McpStreamConfiguration, ports: StreamEndpointPorts): McpEndpoint {
  return createMcpEndpoint(stream, ports, async (request, sender) => {
    const operations = noOperations(sender.request);
    const caller = { ...sender, http: request, signal: request.signal, operations };
    switch (request.method) {
      case "POST":
        return post(request, caller, stream, ports);
      case "GET":
        return sessionGet(request, caller, stream, ports);
      case "DELETE":
        return sessionDelete(request, caller, stream, ports);
      default:
        return methodNotAllowed(stream, ports);
    }
  });
}

async function post(
  request: Request,
  from: Caller,
  stream: McpStreamConfiguration,
  ports: StreamEndpointPorts,
): Promise<Response> {
  const body = await readMessage(request, from, ports);
  if (body instanceof Response) return body;
  const { message, place } = body;
  try {
    const text = Array.isArray(message) ? undefined : body.text;
    const operations = startOperations(message, request.headers, from, ports);
    const serve = isStateless(request, message) ? statelessPost : sessionPost;
    const response = await serve(request, message, { ...from, operations, text }, stream, ports);
    operations.answered(response.status);
    return leavingWith(response, place, request.signal);
  } catch (cause) {
    place.leave();
    throw cause;
  }
}
