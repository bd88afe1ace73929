import { once } from "node:events";

/** Bytes that the isolate of the Worker `main` uses, by workerd's inspector (Chrome DevTools Protocol); what is no longer needed may be among them. */
export async function isolateHeap(inspectorPort: number): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${inspectorPort}/main`);
  await once(socket, "open");
  socket.send(JSON.stringify({ id: 1, method: "Runtime.getHeapUsage" }));
  const [{ data }] = (await once(socket, "message")) as [MessageEvent<string>];
  const closed = once(socket, "close");
  socket.close();
  await closed;
  const { result } = JSON.parse(data) as { readonly result: HeapUsage };
  return result.usedSize + result.embedderHeapUsedSize + result.backingStorageSize;
}

/** Of the method, in bytes. */
interface HeapUsage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize: number;
  readonly backingStorageSize: number;
}
