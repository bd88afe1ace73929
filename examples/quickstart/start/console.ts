import { ensureConsole } from "../../../infra/build/console/ensure.ts";

/** The Console, built if need be. Without it the quickstart goes on: its pages answer then that they are not built. */
export async function prepareConsole(print: (line: string) => void): Promise<void> {
  try {
    await ensureConsole(print);
  } catch {
    print(
      "The Console could not be built (`npm run build:console` says why). The quickstart goes on without its pages.\n",
    );
  }
}
