import type { IncomingMessage, ServerResponse } from "node:http";

/** Bytes of a request that are read all the same when nobody wants them, and forgotten. */
export const DISCARDED: number = 16 * 1024 * 1024;

/**
 * Reads what is left of a request when its answer is out. Closing the connection while the client still sends would lose
 * the answer (RFC 9112 section 9.6), and closing it later, unannounced, the answer to another request. Who goes on and on
 * is cut off; who falls silent is left to the server's limit for a request to arrive.
 */
export function discardRest(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once("finish", () => {
    if (incoming.readableEnded) return;
    let length = 0;
    // A web stream around it, of which nobody reads any more, would pause it for ever.
    incoming.removeAllListeners("data");
    const discard = (piece: Uint8Array) => {
      length += piece.byteLength;
      if (length <= DISCARDED) return;
      incoming.off("data", discard);
      incoming.socket.destroySoon();
    };
    incoming.on("data", discard);
    incoming.resume();
  });
}
