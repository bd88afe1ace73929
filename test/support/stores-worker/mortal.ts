import type { MortalStores } from "../../contract/kill/engine.ts";
import { journaled, killingLine, type Line } from "../../contract/kill/journal.ts";
import { writeForEver } from "../../contract/kill/workload.ts";
import { remoteStores } from "./remote-stores.ts";
import { objectsOnDisk } from "./workerd.ts";

/** Durable Objects in a workerd that is killed while this process writes through it. */
export async function openMortalObjects(): Promise<MortalStores> {
  const objects = await objectsOnDisk();
  return {
    writeAndKill: async (acknowledgements) => {
      const workerd = await objects.start("worker.ts");
      const lines: Line[] = [];
      const isToKill = killingLine(acknowledgements);
      let killed: Promise<void> | undefined;
      const say = (line: Line): void => {
        lines.push(line);
        if (isToKill(line)) killed ??= workerd.kill();
      };
      const failure = await writeForEver(journaled(remoteStores(workerd.post), say)).catch((error: unknown) => error);
      if (killed === undefined) throw new Error("writing failed before workerd was killed", { cause: failure });
      await killed;
      return lines;
    },
    stores: async () => remoteStores((await objects.start("worker.ts")).post),
    close: () => objects.close(),
  };
}
