import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ConformanceUpstream {
  readonly url: string;
  stop(): Promise<void>;
}

/** The API of `tools.openapi.yaml` on a loopback port. */
export async function startConformanceUpstream(): Promise<ConformanceUpstream> {
  const server = createServer((request, response) => {
    const answer = ANSWERS[new URL(request.url ?? "", "http://upstream").pathname];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Answer = (response: ServerResponse) => void;

/** The smallest PNG: one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/** A WAV header without samples. */
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const ANSWERS: Readonly<Record<string, Answer>> = {
  "/simple-text": whole("text/plain", "This is a simple text response for testing."),
  "/image": whole("image/png", Buffer.from(PIXEL, "base64")),
  "/audio": whole("audio/wav", Buffer.from(SILENCE, "base64")),
  "/file": whole("application/pdf", "%PDF-1.4"),
  "/failure": whole("text/plain", "This API always fails.", 500),
  "/progress": inParts,
  "/log": whole("text/plain", "Nothing was logged."),
  "/region": whole("text/plain", "Here."),
};

function whole(type: string, content: string | Uint8Array, status = 200): Answer {
  return (response) => response.writeHead(status, { "content-type": type }).end(content);
}

/** As much as the gateway takes note of several times while it reads. */
function inParts(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/plain" });
  for (let part = 0; part < 4; part++) response.write(`${part}`.repeat(64 * 1024));
  response.end();
}
