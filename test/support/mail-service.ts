import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export interface PostedMail {
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A service on loopback that takes mail over HTTP. */
export interface MailService {
  readonly url: string;
  readonly posted: readonly PostedMail[];
  /** The next answer; 200 after it. 0 breaks the connection. */
  answer(status: number): void;
  stop(): Promise<void>;
}

export async function startMailService(): Promise<MailService> {
  const posted: PostedMail[] = [];
  const answers: number[] = [];
  const server = createServer(async (incoming, outgoing) => {
    posted.push({ headers: incoming.headers, body: (await json(incoming)) as PostedMail["body"] });
    const status = answers.shift() ?? 200;
    if (status === 0) return void incoming.socket.destroy();
    outgoing.writeHead(status, { "content-type": "application/json", location: "/elsewhere" }).end('{"id":"1"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/emails`,
    posted,
    answer: (status) => void answers.push(status),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
