import { type Server, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Connections } from "./connections.ts";
import type { OwnAnswer, OwnAnswers, OwnRefusal } from "./own-answer.ts";

/** Codes of what Node finds in a connection; any other is a mistake in what was sent. */
const REFUSALS: Readonly<Record<string, OwnRefusal>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/**
 * Answers what is no request, and closes the connection. Never in the place of another request's answer: one that is
 * still awaited goes out first, and into one that has begun nothing is written.
 */
export function answerClientErrors(server: Server, { latest }: Pick<Connections, "latest">, answers: OwnAnswers): void {
  const refused = new WeakSet<Duplex>();
  server.on("clientError", (error: NodeJS.ErrnoException & { readonly reason?: unknown }, connection) => {
    // What comes after the mistake is one mistake more.
    if (refused.has(connection)) return;
    refused.add(connection);
    const { code = "unknown", reason } = error;
    const cause = typeof reason === "string" ? `${code}: ${reason}` : code;
    const refuse = () => {
      if (!connection.writable || code === "ECONNRESET") {
        connection.destroy();
        return;
      }
      const remoteAddress = connection instanceof Socket ? connection.remoteAddress : undefined;
      const answer = answers(REFUSALS[code] ?? "malformed_request", { cause, remoteAddress });
      connection.end(asText(answer), () => connection.destroy());
    };

    const response = latest(connection);
    if (response === undefined || response.writableFinished) refuse();
    else if (response.req.complete) response.once("close", refuse);
    else if (response.socket === connection && !response.headersSent) refuse();
    else connection.destroy();
  });
}

/** The answer as it goes over the wire. */
export function asText({ status, headers, body }: OwnAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
