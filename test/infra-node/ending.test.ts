import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { compiledOnce } from "../support/shared-run/variables.ts";

const INFRA = join(import.meta.dirname, "../../infra/node");

test("41. errors of the store that nobody caught are told and end nothing; the next other error does", async () => {
  const program = `
    import { awaitEnding } from ${JSON.stringify(join(INFRA, "ending.ts"))};
    const ending = awaitEnding(() => undefined);
    ending.started((error) => console.log(error.message));
    for (let each = 0; each < 3; each++) {
      setTimeout(() => { throw Object.assign(new Error("database or disk is full"), { errcode: 13 }); }, each);
    }
    setTimeout(() => { throw new Error("a defect"); }, 50);
    await ending.begun;
    process.exitCode = ending.exitCode();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...compiledOnce(), PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [[code], told] = await Promise.all([once(child, "exit"), text(child.stdout)]);
  const full = "database or disk is full";
  expect([code, told.trim().split("\n")]).toEqual([1, [full, full, full, "a defect"]]);
});
