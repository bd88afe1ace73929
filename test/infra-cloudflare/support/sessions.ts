import type { WorkerHandle } from "wrangler";
import { EXPIRY_MARGIN } from "../../../lib/stores/expiry-margin.ts";
import type { McpSessionRecord } from "../../../lib/stores/mcp-sessions.ts";
import type { SessionSignal } from "../../../lib/stores/session-channel.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { MINUTE, mcpSession } from "../../contract/records.ts";
import { remoteStores } from "../../support/stores-worker/remote-stores.ts";
import { workerHarness } from "./harness.ts";

export interface OpenSessions {
  readonly stores: Stores;
  readonly worker: WorkerHandle;
  publish(sessionHash: string, signal: SessionSignal): Promise<number>;
  /**
   * Resolves when the following has begun.
   *
   * @param count of signals, after which it stops
   */
  follow(sessionHash: string, count?: number): Promise<Follower>;
  close(): Promise<void>;
}

export interface Follower {
  /** The next signal; "stopped" when it follows no more, "lost" when no more can come. */
  next(): Promise<SessionSignal | "stopped" | "lost">;
}

/** Sessions in Durable Objects as wrangler runs them, and the channel between their requests. */
export async function openSessions(): Promise<OpenSessions> {
  const harness = workerHarness({ region: "us", main: "test/support/stores-worker/sessions-worker.ts" });
  const { url } = await harness.listen();
  const worker = harness.getWorker();
  const leaving = new AbortController();
  return {
    stores: remoteStores((path, body) => worker.fetch(path, { method: "POST", body })),
    worker,
    publish: async (sessionHash, signal) => {
      const answer = await worker.fetch(`/publish/${sessionHash}`, { method: "POST", body: JSON.stringify(signal) });
      return ((await answer.json()) as { readonly value: number }).value;
    },
    follow: async (sessionHash, count) => {
      const query = count === undefined ? "" : `?count=${count}`;
      return follower(await fetch(new URL(`/follow/${sessionHash}${query}`, url), { signal: leaving.signal }));
    },
    close: async () => {
      leaving.abort();
      await harness.close();
    },
  };
}

async function follower(response: Response): Promise<Follower> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!response.ok || reader === undefined) throw new Error(`Following was answered with ${response.status}.`);
  let rest = "";
  const next = async (): Promise<unknown> => {
    while (!rest.includes("\n")) {
      const { done, value } = await reader.read();
      if (done) throw new Error("The stream ended without a word.");
      rest += value;
    }
    const end = rest.indexOf("\n");
    const line = rest.slice(0, end);
    rest = rest.slice(end + 1);
    return JSON.parse(line);
  };
  await next();
  return { next: next as Follower["next"] };
}

/** Names of what a session's object has stored; the runtime's own table for an alarm is one. */
export async function storedTables(worker: WorkerHandle, name: string): Promise<readonly string[]> {
  const storage = await worker.getDurableObjectStorage("MCP_SESSIONS", { name });
  const rows = await storage.exec("SELECT name FROM sqlite_schema");
  // The harness keeps the object's name in it.
  return rows.map((row) => String((row as { readonly name: unknown }).name)).filter((table) => !/^__mini/.test(table));
}

/** A session that its object takes for expired in so many milliseconds, unless it is used. */
export function expiringIn(milliseconds: number): McpSessionRecord {
  const timeout = 60 * MINUTE;
  return mcpSession({ timeout, startedAt: Date.now() - timeout - timeout / 60 - EXPIRY_MARGIN + milliseconds });
}
