import type { ServerResponse } from "node:http";
import { STATELESS } from "../cast.ts";
import type { RpcMessage } from "./run.ts";

/** Answers what only the generation without sessions has; false where the request is none of these. */
export function answeredAlone({ id, method }: RpcMessage, response: ServerResponse): boolean {
  if (method === "server/discover") {
    const result = { supportedVersions: [STATELESS], capabilities: { tools: {}, resources: {} } };
    respond(response, 200, { id, result: finished(result) });
    return true;
  }
  if (method !== "initialize") return false;
  respond(response, 404, { id, error: { code: -32601, message: "Method not found: initialize" } });
  return true;
}

export function finished(result: object): object {
  return { resultType: "complete", ttlMs: 500, cacheScope: "private", ...result };
}

function respond(response: ServerResponse, status: number, message: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", ...message }));
}
