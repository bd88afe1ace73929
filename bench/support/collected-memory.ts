import { residentMemory } from "./process-usage.ts";

/**
 * Resident memory of a Node process right after its garbage was collected, bytes: what it keeps, and not what it has not
 * come round to giving back. The process was started with `--inspect` at the port.
 */
export async function collectedMemory(pid: number, inspectorPort: number): Promise<number> {
  // A second one collects what the first made free.
  await ask(inspectorPort, ["HeapProfiler.collectGarbage", "HeapProfiler.collectGarbage"]);
  return residentMemory(pid);
}

/** What JavaScript of a process's main thread holds, bytes. */
export interface Held {
  readonly heap: number;
  /** Of ArrayBuffers, which are outside of the heap. */
  readonly buffers: number;
}

/** Read after `collectedMemory`, what has to be held. */
export async function heldMemory(inspectorPort: number): Promise<Held> {
  const usage = (await ask(inspectorPort, ["Runtime.getHeapUsage"])) as HeapUsage;
  return { heap: usage.usedSize, buffers: usage.backingStorageSize };
}

interface HeapUsage {
  readonly usedSize: number;
  readonly backingStorageSize: number;
}

/** One method after another. Resolves to the result of the last. */
async function ask(inspectorPort: number, methods: readonly string[]): Promise<unknown> {
  const targets = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json/list`)).json()) as readonly [Target];
  const socket = new WebSocket(targets[0].webSocketDebuggerUrl);
  try {
    await once(socket, "open");
    let result: unknown;
    for (const [index, method] of methods.entries()) {
      const answered = once(socket, "message");
      socket.send(JSON.stringify({ id: index + 1, method }));
      result = (JSON.parse((await answered).data as string) as { readonly result: unknown }).result;
    }
    return result;
  } finally {
    socket.close();
  }
}

interface Target {
  readonly webSocketDebuggerUrl: string;
}

function once(socket: WebSocket, type: "open" | "message"): Promise<MessageEvent> {
  return new Promise((resolve, reject) => {
    socket.addEventListener(type, (event) => resolve(event as MessageEvent), { once: true });
    socket.addEventListener("error", () => reject(new Error("The inspector cannot be reached.")), { once: true });
  });
}
