import { residentMemory } from "./process-usage.ts";

/**
 * Resident memory of a Node process right after its garbage was collected, bytes: what it keeps, and not what it has not
 * come round to giving back. The process was started with `--inspect` at the port.
 */
export async function collectedMemory(pid: number, inspectorPort: number): Promise<number> {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)).json()) as readonly [Target];
  const socket = new WebSocket(targets[0].webSocketDebuggerUrl);
  try {
    await once(socket, "open");
    // A second one collects what the first made free.
    for (const id of [1, 2]) {
      const answered = once(socket, "message");
      socket.send(JSON.stringify({ id, method: "HeapProfiler.collectGarbage" }));
      await answered;
    }
    return residentMemory(pid);
  } finally {
    socket.close();
  }
}

interface Target {
  readonly webSocketDebuggerUrl: string;
}

function once(socket: WebSocket, type: "open" | "message"): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener(type, () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error("The inspector cannot be reached.")), { once: true });
  });
}
