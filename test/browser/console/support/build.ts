import { ensureConsole } from "../../../../infra/build/console/ensure.ts";

/** The Console in `dist/console`, built once for all files of a run. */
export default async function setup(): Promise<void> {
  await ensureConsole(() => undefined);
}
