import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "../random.ts";

/** What workerd turns a KV binding into, kept outside of it, so that it outlives the process. */
export interface UnreliableKv {
  readonly port: number;
  close(): Promise<void>;
}

/** How long a change may stay unseen, milliseconds. */
const DELAY = 10_000;
/** Of the reads after a change, those that see any recent value; of all requests, those that fail. */
const STALE = 0.5;
const FAILING = 0.01;

/** A value, or that there was none, from one change to the next. */
interface Version {
  readonly value: string | undefined;
  /** When the value expires, milliseconds since the epoch. */
  readonly expires: number;
  /** When the next change came; infinite for the newest. */
  readonly superseded: number;
}

/** As KV promises no more: eventually consistent, with values that expire, and now and then out of order. */
export async function unreliableKv(random: Random): Promise<UnreliableKv> {
  const keys = new Map<string, readonly Version[]>();
  const recent = (key: string, now: number) =>
    (keys.get(key) ?? []).filter(({ superseded }) => superseded > now - DELAY);
  const change = (key: string, value: string | undefined, lifetime: number): void => {
    const now = Date.now();
    const former = recent(key, now).map((version) => ({ ...version, superseded: Math.min(version.superseded, now) }));
    keys.set(key, [...former, { value, expires: now + lifetime, superseded: Number.POSITIVE_INFINITY }]);
  };
  const read = (key: string): string | undefined => {
    const now = Date.now();
    const versions = recent(key, now);
    const seen = random.chance(STALE) ? random.pick(versions) : versions.at(-1);
    return seen !== undefined && now < seen.expires ? seen.value : undefined;
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://kv");
    const body = await textOf(request);
    if (random.chance(FAILING)) return response.writeHead(500).end();
    switch (request.method) {
      case "PUT":
        change(url.pathname, body, Number(url.searchParams.get("expiration_ttl") ?? Infinity) * 1000);
        return response.end();
      case "DELETE":
        change(url.pathname, undefined, 0);
        return response.end();
      default: {
        const value = read(url.pathname);
        return value === undefined ? response.writeHead(404).end() : response.end(value);
      }
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const piece of request) text += piece;
  return text;
}
