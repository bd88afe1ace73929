import type { OpenStores } from "../../contract/engine.ts";
import { moveConnectionRow } from "../../contract/engines/moved-rows.ts";
import { remoteStores } from "./remote-stores.ts";
import { objectsOnDisk } from "./workerd.ts";

/** Durable Objects on disk in a workerd of their own, which `reopen` kills and starts again. */
export async function openObjects(): Promise<OpenStores> {
  const objects = await objectsOnDisk();
  let workerd = await objects.start("worker.ts");
  return {
    stores: remoteStores(workerd.post),
    another: async (ahead) => remoteStores((path, body) => workerd.post(path, body), ahead),
    reopen: async () => {
      workerd = await objects.start("worker.ts");
      return remoteStores(workerd.post);
    },
    moveConnection: async (from, to) => {
      moveConnectionRow(await objects.files(), from, to);
      workerd = await objects.start("worker.ts");
      return remoteStores(workerd.post);
    },
    close: () => objects.close(),
  };
}
