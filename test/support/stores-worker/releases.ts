import type { PreviousRelease, Releases } from "../../contract/releases/engine.ts";
import { remotePort, remoteStores } from "./remote-stores.ts";
import { objectsOnDisk } from "./workerd.ts";

/** The previous release and this one on the same objects, in turns: an object runs one version of its class at a time. */
export async function openObjectReleases(): Promise<Releases> {
  const objects = await objectsOnDisk();
  return {
    previous: async () => remotePort<PreviousRelease>((await objects.start("previous-worker.ts")).post, ""),
    current: async () => remoteStores((await objects.start("worker.ts")).post),
    close: () => objects.close(),
  };
}
