import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../infra/node/commands/tools.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { formatMessage } from "../../lib/config/messages.ts";

const page = readFileSync(new URL("../../docs/rest-apis.md", import.meta.url), "utf8");

const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, text = ""]) => text);

/** The document that the page is about, a whole configuration, and pieces of others. */
const [ledger = "", gateway = "", ...pieces] = blocks("yaml");

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-page-"));
  await writeFile(join(folder, "ledger.yaml"), ledger);
  await writeFile(join(folder, "countersign.yaml"), gateway);
});

afterAll(() => rm(folder, { recursive: true }));

async function mistakes(text: string): Promise<readonly string[]> {
  const compiled = await compileConfiguration(text, { file: "countersign.yaml", readDocument: async () => ledger });
  return "errors" in compiled ? compiled.errors.map(formatMessage) : [];
}

test("every configuration on the page is accepted: the whole gateway, and each piece in the place of its own", async () => {
  expect(await mistakes(gateway)).toEqual([]);
  expect(pieces).toHaveLength(5);
  const rest = gateway.slice(0, gateway.indexOf("apps:\n"));
  for (const piece of pieces) {
    expect(await mistakes(piece.startsWith("apps:\n") ? rest + piece : `version: "1"\n${piece}`)).toEqual([]);
  }
});

async function tools(...args: readonly string[]): Promise<string> {
  let stdout = "";
  const write = (text: string) => {
    stdout += text;
  };
  const config = join(folder, "countersign.yaml");
  await run(["-config", config, ...args], { stdout: write, stderr: () => undefined, environment: {} });
  return stdout;
}

test("the tool that the page shows is what the command prints", async () => {
  expect(blocks("text")[0]).toBe(await tools("-tool", "ledger_addPayment"));
});

test("the page names every member of the JSON that the command prints", async () => {
  const section = page.slice(page.indexOf("## `countersign tools`"));
  const list = JSON.parse(await tools("-json"));
  const tool = JSON.parse(await tools("-tool", "ledger_addPayment", "-json"));
  const objects = [list, list.tools[0], list.leftOut[0], list.counts, list.offer, tool, tool.body, ...tool.arguments];
  const members = new Set(objects.flatMap((object) => Object.keys(object)));
  expect(members.size).toBeGreaterThan(25);
  expect([...members].filter((member) => !section.includes(`\`${member}\``))).toEqual([]);
});
