import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { regoCompiler } from "../../../infra/node/files/rego-compiler.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-bundle-"));
const compiler = (environment: NodeJS.ProcessEnv = {}) => regoCompiler(folder, { PATH: "", ...environment });
const PLAN = readFileSync(new URL("../../../examples/policies/payments.plan", import.meta.url), "utf8");

function written(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return name;
}

/** A tar archive as `opa build` writes it: regular files with a leading slash. */
function archive(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const header = Buffer.alloc(512);
    header.write(`/${name}`, 0);
    header.write(Buffer.byteLength(text).toString(8).padStart(11, "0"), 124);
    header.write("0", 156);
    const content = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    content.write(text);
    return [header, content];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1_024)]);
}

describe("a bundle", () => {
  test("has a plan, its data and its modules", async () => {
    const files = { "data.json": '{"limit": 7}', "policy.rego": "package orchestrator", "plan.json": PLAN };
    expect(await compiler().bundle(written("bundle.tar.gz", gzipSync(archive(files))))).toEqual({
      ...{ plan: JSON.parse(PLAN), data: { limit: 7 }, modules: ["package orchestrator"] },
    });
  });

  test("may be the plan alone, as JSON", async () => {
    expect(await compiler().bundle(`file://${written("plan.json", PLAN)}`)).toMatchObject({ plan: JSON.parse(PLAN) });
  });

  test.each<readonly [string, Buffer, string]>([
    ["without a plan", gzipSync(archive({ "data.json": "{}" })), "the bundle has no plan.json; accepted: one that"],
    ["that is broken", gzipSync(Buffer.alloc(600, 65)), "the bundle is a broken archive"],
    ["that is cut", gzipSync(archive({ "plan.json": PLAN })).subarray(0, 900), "the bundle is no gzip file, or larger"],
    ["that unpacks to too much", gzipSync(Buffer.alloc(17_000_000)), "larger than 16777216 bytes unpacked"],
    [
      "with data that is a list",
      gzipSync(archive({ "plan.json": PLAN, "data.json": "[]" })),
      "data.json is no JSON object",
    ],
  ])("%s is refused", async (_, bytes, message) => {
    await expect(compiler().bundle(written("wrong.tar.gz", bytes))).rejects.toThrow(message);
  });
});

test.each([
  ["is not there", () => compiler().bundle("nowhere.tar.gz"), "cannot be read: "],
  ["is no JSON", () => compiler().data(written("bad.json", "{")), "bad.json is no JSON: "],
  ["is no mapping", () => compiler().data(written("list.json", "[1]")), "list.json is no JSON object"],
])("a file that %s is told", async (_, read, message) => {
  await expect(read()).rejects.toThrow(message);
});

test.each([
  ["text", () => compiler().module("package orchestrator\n", "orchestrator/result")],
  ["a file", () => compiler().file(written("a.rego", "package orchestrator\n"), "orchestrator/result")],
])("without OPA's command the message says what %s takes", async (_, compile) => {
  await expect(compile()).rejects.toThrow(/needs OPA's command .* install opa, set SVC_OPA .* or write plan:/);
});
