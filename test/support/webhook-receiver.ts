import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

/** A message as its receiver reads it, after the library has verified its signature. */
export interface ReceivedMessage {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly secret: string;
  readonly messages: readonly ReceivedMessage[];
  /** Headers of everything that came, also of what did not verify. */
  readonly requests: readonly IncomingHttpHeaders[];
  /** The next answers, one each; 204 after them. 0 breaks the connection. */
  answer(...statuses: readonly number[]): void;
  stop(): Promise<void>;
}

/** A receiver on loopback that verifies with the `standardwebhooks` package, and answers 400 to what it cannot verify. */
export async function startWebhookReceiver(
  secret = `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`,
): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = [];
  const requests: IncomingHttpHeaders[] = [];
  const answers: number[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    requests.push(incoming.headers);
    const status = answers.shift() ?? 204;
    if (status === 0) return void incoming.socket.destroy();
    try {
      const read = new Webhook(secret).verify(body, incoming.headers as Record<string, string>);
      messages.push({ ...(read as Omit<ReceivedMessage, "id">), id: String(incoming.headers["webhook-id"]) });
    } catch {
      outgoing.writeHead(400).end();
      return;
    }
    outgoing.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret,
    messages,
    requests,
    answer: (...statuses) => void answers.push(...statuses),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
