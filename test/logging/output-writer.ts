import { openLogOutput } from "../../infra/node/log-output.ts";

/**
 * A process that logs, for `output.test.ts`: `output-writer.ts END LINES [CAPACITY]`. It writes that many numbered lines in
 * a few turns, says `written` on stdout, and ends in one of several ways: `wait` logs what comes on stdin until that ends.
 */
const [end = "return", count = "0", capacity] = process.argv.slice(2);
const output = openLogOutput(capacity === undefined ? undefined : Number(capacity));
output.onLost((lines) => output.write(`${lines} lost`));

const TURNS = 4;
for (let turn = 0; turn < TURNS; turn++) {
  for (let line = turn; line < Number(count); line += TURNS) output.write(`line ${line} ${"x".repeat(90)}`);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
process.stdout.write("written\n");
await ended(end);

async function ended(how: string): Promise<void> {
  output.write("the last line");
  if (how === "exit") process.exit(3);
  if (how === "throw") throw new Error("a crash");
  if (how === "wait") {
    for await (const chunk of process.stdin) {
      output.write(String(chunk).trim());
      // Behind the attempt to write it.
      setImmediate(() => process.stdout.write("tried\n"));
    }
  }
}
