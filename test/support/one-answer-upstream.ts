import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface OneAnswerUpstream {
  readonly url: string;
  close(): Promise<void>;
}

/** An API on loopback that has one answer, JSON, for whatever it is asked. */
export async function openUpstream(answer: unknown): Promise<OneAnswerUpstream> {
  const body = JSON.stringify(answer);
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
      response.end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
