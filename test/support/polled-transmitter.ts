import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What it was asked with. */
export interface Asked {
  readonly authorization: string | undefined;
  readonly body: {
    readonly maxEvents: number;
    readonly returnImmediately: boolean;
    readonly ack: readonly string[];
    readonly setErrs: Readonly<Record<string, { readonly err: string }>>;
  };
}

/** A transmitter from which events are fetched. */
export interface PolledTransmitter {
  readonly url: string;
  /** Tokens by their `jti`, until they are acknowledged or refused. */
  readonly waiting: Map<string, unknown>;
  readonly asked: readonly Asked[];
  stop(): Promise<void>;
}

/** A transmitter that gives events until they are acknowledged or refused (RFC 8936 §2). */
export async function startPolledTransmitter(): Promise<PolledTransmitter> {
  const waiting = new Map<string, unknown>();
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const { authorization } = request.headers;
    const body = JSON.parse(await text(request)) as Asked["body"];
    asked.push({ authorization, body });
    for (const jti of [...body.ack, ...Object.keys(body.setErrs)]) waiting.delete(jti);
    // Two at a time, whatever is asked for.
    const given = [...waiting].slice(0, Math.min(2, body.maxEvents));
    const answer = { sets: Object.fromEntries(given), moreAvailable: waiting.size > given.length };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/poll`,
    waiting,
    asked,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
