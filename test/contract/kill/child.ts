import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { killingLine, type Line } from "./journal.ts";

/** Runs a writer of this folder and kills it with -9 after so many acknowledgements. All it said counts. */
export async function killedWriter(
  script: string,
  args: readonly string[],
  acknowledgements: number,
): Promise<readonly Line[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const lines: Line[] = [];
  const isToKill = killingLine(acknowledgements);
  for await (const text of createInterface({ input: child.stdout })) {
    const line = parsed(text);
    if (line === undefined) continue;
    lines.push(line);
    if (isToKill(line)) child.kill("SIGKILL");
  }
  await closed;
  if (child.signalCode !== "SIGKILL") throw new Error(`the writer ended by itself after ${lines.length} lines`);
  return lines;
}

/** The last line of a killed process may be cut off: then nothing was asked for, or nothing acknowledged. */
function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
