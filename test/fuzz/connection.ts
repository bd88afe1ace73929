import { connect, type Socket } from "node:net";
import { parseAnswer, type WireAnswer } from "./wire.ts";

/** Longer than any answer takes on a busy machine, milliseconds. */
const DEADLINE = 20_000;
/**
 * How long after its last request a connection is used again, milliseconds. Every server here keeps an idle one for longer,
 * so that a connection that is closed under a request is never the server's good right.
 */
const KEPT = 4_000;

export type Outcome =
  | { readonly kind: "answer"; readonly answer: WireAnswer }
  /** The peer closed the connection without a whole answer; kept: earlier requests were answered on it. */
  | { readonly kind: "closed"; readonly isKept: boolean }
  | { readonly kind: "silence" };

/** Sends requests to one server, one after the other, over a connection that is kept while the server keeps it. */
export interface Connection {
  /**
   * @param isWhole false: the bytes are no whole request, so the sending side is closed behind them and the connection is
   *   not used again
   */
  send(bytes: Buffer, method: string, isWhole: boolean): Promise<Outcome>;
  close(): void;
}

export function connection(port: number): Connection {
  let kept: Socket | undefined;
  let usedAt = 0;
  const drop = () => {
    kept?.resetAndDestroy();
    kept = undefined;
  };
  const open = () => connect({ port, host: "127.0.0.1", noDelay: true });
  return {
    send: async (bytes, method, isWhole) => {
      if (!isWhole || performance.now() - usedAt > KEPT) drop();
      const socket = kept ?? open();
      const isKept = kept !== undefined;
      kept = undefined;
      usedAt = performance.now();
      const { outcome, isReusable } = await exchange(socket, bytes, method, { isWhole, isKept });
      if (isReusable && isWhole) kept = socket;
      else socket.resetAndDestroy();
      return outcome;
    },
    close: drop,
  };
}

interface Exchange {
  readonly outcome: Outcome;
  readonly isReusable: boolean;
}

function exchange(
  socket: Socket,
  bytes: Buffer,
  method: string,
  { isWhole, isKept }: { readonly isWhole: boolean; readonly isKept: boolean },
): Promise<Exchange> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const settle = (outcome: Outcome, isReusable = false) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      // What goes wrong with a connection that is done with is of no interest.
      socket.on("error", () => undefined);
      resolve({ outcome, isReusable });
    };
    const look = (hasEnded: boolean) => {
      const parsed = parseAnswer(received, method, hasEnded);
      if (parsed.state === "complete") settle({ kind: "answer", answer: parsed.answer }, parsed.isReusable);
      else if (hasEnded) settle({ kind: "closed", isKept });
    };
    const timer = setTimeout(() => settle({ kind: "silence" }), DEADLINE);
    socket.on("data", (piece) => {
      received = Buffer.concat([received, piece]);
      look(false);
    });
    socket.on("end", () => look(true));
    socket.on("close", () => look(true));
    socket.on("error", () => look(true));
    socket.write(bytes);
    if (!isWhole) socket.end();
  });
}
