import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkplace } from "./countersign.ts";

test("a server that cannot lock its store ends and says why: an entry for the log, a line for the person", async () => {
  const at = await createWorkplace();
  mkdirSync(join(at.store, "serving.lock"), { recursive: true });
  const run = await at.countersign();
  expect(run).toMatchObject({ code: 3, stdout: "" });
  const [entry, line, ...rest] = run.stderr.trimEnd().split("\n");
  expect(rest).toEqual([]);
  expect(entry).toMatch(/ ERROR the server cannot start cause="Cannot open the store in .* soid=/);
  expect(line).toContain(at.store);
  at.remove();
});

test("54. a second server on one store refuses to start, commands go on, and after kill -9 the next server starts", async () => {
  const at = await createWorkplace({ logger: "{jsonOutput: true}" });
  const server = await at.serve();
  const second = await at.countersign();
  expect(second).toMatchObject({ code: 3, stdout: "" });
  const [entry = "", line, ...rest] = second.stderr.trimEnd().split("\n");
  expect(rest).toEqual([]);
  expect(line).toMatch(
    /^Another server serves from the store in \S+\. Stop that server first, or give this one a store /,
  );
  expect(JSON.parse(entry)).toMatchObject({
    level: "error",
    msg: "the server cannot start",
    cause: line,
    soid: readFileSync(join(at.store, "soid"), "utf8"),
  });
  const keyOut = join(at.folder, "a.pem");
  expect(await at.countersign("client", "create", "-name", "a", "-keyOut", keyOut)).toMatchObject({ code: 0 });
  await server.kill();
  await (await at.serve()).stop();
  at.remove();
});
