import type { Server } from "node:http";
import type { TLSSocket } from "node:tls";
import type { Dependencies } from "../../../../lib/dependencies.ts";
import { asText } from "../client-errors.ts";
import type { Connections } from "../connections.ts";
import type { OwnAnswers } from "../own-answer.ts";

/** Logs handshakes that fail, at debug level: anybody can make them. Whoever speaks plain HTTP is told so in plain HTTP. */
export function answerHandshakeErrors(
  server: Server,
  connections: Connections,
  answers: OwnAnswers,
  { logger }: Pick<Dependencies, "logger">,
): void {
  // Before Node's own listener, which would have it answered like a malformed request.
  server.prependListener("tlsClientError", ({ code = "unknown" }: NodeJS.ErrnoException, socket: TLSSocket) => {
    const { remoteAddress } = socket;
    logger.debug("TLS handshake failed", { cause: code, remoteAddress });
    if (code === "ERR_SSL_HTTP_REQUEST") {
      connections.below(socket)?.end(asText(answers("plain_http", { cause: code, remoteAddress })));
    }
    socket.destroy();
  });
}
