import cluster, { type Worker as ClusterWorker } from "node:cluster";

/** What node:cluster sends with a connection, and what comes back when a worker took one, or would not. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/** A connection as the primary accepted it. */
interface Handle {
  close(): void;
}

interface Handed {
  readonly message: ClusterMessage;
  readonly handle: Handle;
}

type Send = (message: ClusterMessage, handle?: Handle, ...more: readonly unknown[]) => boolean;

/**
 * Gives connections that a worker was sent, and was killed before it took, to another worker. Without this they stay open and
 * nobody answers: node:cluster forgets what it sent to a worker that is gone, and offers it one more connection (seen with Node
 * 24.21). A connection that a worker took ends with it.
 */
export function keepHandedConnections(worker: ClusterWorker): void {
  const child = worker.process;
  const handed = new Map<number, Handed>();
  const send = child.send as unknown as Send;
  const keep: Send = (message, handle, ...more) => {
    if (message?.act === "newconn" && message.seq !== undefined && handle !== undefined)
      handed.set(message.seq, { message, handle });
    return send.call(child, message, handle, ...more);
  };
  Object.assign(child, { send: keep });
  child.on("internalMessage" as "message", (said: unknown) => {
    const { ack } = said as ClusterMessage;
    if (ack !== undefined) handed.delete(ack);
  });
  let isKnownToBeGone = false;
  child.once("disconnect", () => {
    isKnownToBeGone = true;
  });
  // Not at its exit: by now all that it said was read.
  child.once("close", () => {
    // While a connection was on its way node:cluster waits for an answer before it says so.
    if (!isKnownToBeGone) child.emit("disconnect");
    const others = Object.values(cluster.workers ?? {}).filter((other) => other?.isConnected() === true);
    for (const [at, { message, handle }] of [...handed.values()].entries()) {
      const other = others[at % others.length];
      if (other === undefined) handle.close();
      else (other.process.send as unknown as Send)(message, handle);
    }
  });
}
