import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { formatMessage } from "../../lib/config/messages.ts";

const page = readFileSync(new URL("../../docs/agents.md", import.meta.url), "utf8");
const openapi = readFileSync(new URL("../support/upstream.openapi.yaml", import.meta.url), "utf8");

/** What the page tells operators to write, one text a block. */
const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);

test("what the page about agents tells operators to write is accepted, each piece with what is before it", async () => {
  const [instance = "", ownAgent = ""] = blocks;
  expect(blocks).toHaveLength(2);
  const together = instance + ownAgent.replace("apps:\n", "");
  for (const text of [instance, together]) {
    const readDocument = () => Promise.resolve(openapi);
    const compiled = await compileConfiguration(text, { file: "agents.yaml", readDocument });
    expect("errors" in compiled ? compiled.errors.map(formatMessage) : []).toEqual([]);
  }
});
