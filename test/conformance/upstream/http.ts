import type { IncomingMessage, ServerResponse } from "node:http";
import { errorMessage, INVALID_REQUEST, type JsonObject, type RequestId, RpcError } from "./json-rpc.ts";

const BODY_LIMIT = 4 * 1024 * 1024;

/** The one value of a header; undefined when it is not there. */
export function header({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** @throws RpcError for a body that is longer than any message may be */
export async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length > BODY_LIMIT) throw new RpcError(INVALID_REQUEST, `The body is longer than ${BODY_LIMIT} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export function sendError(
  response: ServerResponse,
  status: number,
  error: RpcError,
  id: RequestId | null = null,
): void {
  sendJson(response, status, errorMessage(id, error));
}

/** A refusal that no code of the protocol is about. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  sendError(response, status, new RpcError(INVALID_REQUEST, message));
}

export function beginEvents(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", ...headers });
  response.flushHeaders();
}

export function event(message: JsonObject): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
