import { afterAll, beforeAll, expect, test } from "vitest";
import { type InProcess, startInProcess } from "../support/in-process.ts";

let product: InProcess;
beforeAll(async () => {
  product = await startInProcess({});
});
afterAll(() => product.close());

async function pathLogged(path: string): Promise<unknown> {
  const before = product.logs.length;
  await product.send(path);
  const entries = product.logs.slice(before).map((line) => JSON.parse(line));
  return entries.find(({ msg }) => msg === "request")?.path;
}

test("a long path is logged to its first thousand characters", async () => {
  expect(await pathLogged(`/${"a".repeat(10_000)}`)).toBe(`/${"a".repeat(1_023)}…`);
  expect(await pathLogged("/livez?code=secret")).toBe("/livez");
});

test("10. a token in a path is not in the log", async () => {
  expect(await pathLogged("/x/eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln/y")).toBe("/x/[redacted]/y");
});
