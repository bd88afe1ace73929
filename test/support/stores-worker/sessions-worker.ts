import type { StateBindings } from "../../../infra/cloudflare/env.ts";
import { cloudflareSessionChannel } from "../../../infra/cloudflare/session-channel.ts";
import type { SessionChannel, SessionSignal } from "../../../lib/stores/session-channel.ts";
import stores, { AuditShard, McpSession, Registry, TokenShard, UpstreamCall } from "./worker.ts";

export { AuditShard, McpSession, Registry, TokenShard, UpstreamCall };

/**
 * The stores' Worker with the channel between the requests of a session. `GET /follow/<hash>` answers what it hears, a line
 * of JSON each, then "lost"; with `?count=` it stops after so many signals and says "stopped". `POST /publish/<hash>` with a
 * signal as JSON answers how many heard it. With `?unreachable` no call of an object succeeds.
 */
export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const [, what, sessionHash = ""] = pathname.split("/");
    const channel = cloudflareSessionChannel(searchParams.has("unreachable") ? unreachable(env) : env);
    switch (what) {
      case "follow":
        return follow(channel, sessionHash, Number(searchParams.get("count") ?? Infinity));
      case "publish":
        return Response.json({ value: await channel.publish(sessionHash, await request.json<SessionSignal>()) });
      default:
        return stores.fetch(request, env);
    }
  },
} satisfies ExportedHandler<StateBindings>;

function unreachable(env: StateBindings): StateBindings {
  const call = () => Promise.reject(new Error("Network connection lost."));
  return { ...env, MCP_SESSIONS: { getByName: () => ({ signal: call, fetch: call }) } as never };
}

async function follow(channel: SessionChannel, sessionHash: string, count: number): Promise<Response> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const write = async (line: unknown): Promise<void> => {
    // The client may be gone.
    await writer.write(new TextEncoder().encode(`${JSON.stringify(line)}\n`)).catch(() => undefined);
  };
  let heard = 0;
  const following = await channel.follow(sessionHash, (signal) => {
    void write(signal);
    heard += 1;
    if (heard < count) return;
    following.stop();
    void write("stopped");
  });
  void following.lost.then(async () => {
    await write("lost");
    // The runtime cancels requests that hang.
    await writer.close().catch(() => undefined);
  });
  void write("following");
  // wrangler's proxies hold other types back.
  return new Response(readable, { headers: { "Content-Type": "text/event-stream" } });
}
