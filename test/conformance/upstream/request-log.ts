import { appendFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { header } from "./http.ts";
import type { RpcMessage } from "./json-rpc.ts";

/** One line a request, written when its answer is over. */
export interface RequestLog {
  begin(request: IncomingMessage, response: ServerResponse): { tellBody(description: string): void };
}

/** Lines such as `POST 200 52ms 2025-11-25 session=1f0c2a3b request tools/call test_simple_text id=3`. */
export function createRequestLog(file: string): RequestLog {
  return {
    begin: (request, response) => {
      const began = performance.now();
      let body = "";
      response.once("close", () => {
        const took = `${Math.round(performance.now() - began)}ms`;
        const version = header(request, "mcp-protocol-version") ?? "no version";
        const session = `session=${header(request, "mcp-session-id")?.slice(0, 8) ?? "none"}`;
        const broke = response.writableFinished ? "" : " (broke off)";
        const line = `${request.method} ${response.statusCode}${broke} ${took} ${version} ${session} ${body}`;
        appendFileSync(file, `${line.trimEnd()}\n`);
      });
      return {
        tellBody: (description) => {
          body = description;
        },
      };
    },
  };
}

export function describeMessage(message: RpcMessage): string {
  if (message.kind === "response") return `response id=${message.id}`;
  const { kind, method, params } = message;
  const name = params.name ?? params.uri ?? "";
  return `${kind} ${method} ${name}${kind === "request" ? ` id=${message.id}` : ""}`;
}
