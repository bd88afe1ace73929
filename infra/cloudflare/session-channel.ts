import type { Following, SessionChannel, SessionSignal } from "../../lib/stores/session-channel.ts";
import type { StateBindings } from "./env.ts";
import { mcpSessionOf, mcpSessionStub } from "./objects.ts";

/**
 * Signals pass through the session's object, which hands each to the WebSockets of the requests that follow. Stubs and
 * sockets are the request's that made them (D29). A signal is one message: up to 32 MiB, far above what a request may
 * have (Cloudflare, limits of WebSockets and of calls to objects).
 */
export function cloudflareSessionChannel(env: StateBindings): SessionChannel {
  return {
    outlives: OUTLIVES,
    publish: async (sessionHash, signal) => {
      try {
        return await mcpSessionOf(env, sessionHash).signal(JSON.stringify(signal));
      } catch {
        return 0;
      }
    },
    follow: async (sessionHash, receive) => {
      const { webSocket } = await mcpSessionStub(env, sessionHash).fetch(FOLLOW, { headers: { Upgrade: "websocket" } });
      if (webSocket === null) throw new Error("The session's object did not accept the WebSocket.");
      return following(webSocket, receive);
    },
  };
}

/** Of the 30 seconds that Cloudflare gives (Workers, Limits), with time left to write what became of the work. */
const OUTLIVES = 20_000;

/** The object looks at neither host nor path. */
const FOLLOW = "https://session/";

function following(socket: WebSocket, receive: (signal: SessionSignal) => void): Following {
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => receive(JSON.parse(String(data)) as SessionSignal));
  socket.addEventListener("close", () => resolve());
  socket.addEventListener("error", () => resolve());
  // Messages that came before are delivered from here on.
  socket.accept();
  return { lost, stop: () => socket.close() };
}
