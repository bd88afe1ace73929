import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { closeFrame, followFrames, type SocketFrames } from "../../../lib/reverse-proxy/socket-frames.ts";

/** Both connections of a WebSocket. Bytes go both ways as they come, and no side is read faster than the other takes it. */
export interface TiedSockets {
  /** Closes both sides, once: between two frames, or not at all where the one under way takes too long. */
  end(code: number, reason: string): void;
  /** Both connections are gone. */
  readonly closed: Promise<void>;
}

/** Milliseconds for the frame under way to end and for the sides to close, once one of them begins to. */
const LAST_WORDS = 5_000;

/** @param grace milliseconds, as `LAST_WORDS` */
export function tieSockets(client: Duplex, upstream: Duplex, grace: number = LAST_WORDS): TiedSockets {
  const sides = [client, upstream] as const;
  const toClient = followFrames();
  const toUpstream = followFrames();
  /** What the client is told as soon as no frame is under way. */
  let last: Uint8Array | undefined;
  let closing: NodeJS.Timeout | undefined;

  const destroy = (): void => {
    for (const side of sides) side.destroy();
  };
  const close = (): void => {
    closing ??= setTimeout(destroy, grace);
  };
  /** Sends the last frame, after which nothing more goes to the client. What it still sends is nobody's. */
  const dismiss = (frame: Uint8Array): void => {
    client.end(frame);
    client.removeAllListeners("data").resume();
    upstream.removeAllListeners("data").resume();
    upstream.end();
  };

  pass(client, upstream, (bytes) => {
    // Once the upstream was told, no other frame may follow.
    if (last !== undefined) return undefined;
    toUpstream.feed(bytes);
    return bytes;
  });
  pass(upstream, client, (bytes) => {
    const first = toClient.feed(bytes);
    // Whoever closes by itself needs no second frame.
    if (last === undefined || first === undefined || toClient.isClosing()) return bytes;
    client.write(bytes.subarray(0, first));
    dismiss(last);
    return undefined;
  });

  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let open = sides.length;
  for (const [side, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    side.on("error", destroy);
    side.once("end", () => {
      close();
      other.end();
    });
    side.once("close", () => {
      close();
      other.end();
      open -= 1;
      if (open > 0) return;
      clearTimeout(closing);
      resolve();
    });
  }

  return {
    closed,
    end: (code, reason) => {
      if (last !== undefined) return;
      last = closeFrame(code, reason);
      close();
      if (mayClose(toUpstream)) upstream.write(closeFrame(code, reason, randomBytes(4)));
      if (mayClose(toClient)) dismiss(last);
    },
  };
}

function mayClose(frames: SocketFrames): boolean {
  return frames.isAtBoundary() && !frames.isClosing();
}

/** @param taken what of the bytes goes on; undefined: nothing more does */
function pass(from: Duplex, to: Duplex, taken: (bytes: Buffer) => Buffer | undefined): void {
  from.on("data", (bytes: Buffer) => {
    const passed = taken(bytes);
    if (passed !== undefined && !to.write(passed)) from.pause();
  });
  to.on("drain", () => from.resume());
}
