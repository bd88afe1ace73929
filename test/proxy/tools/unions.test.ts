import { afterEach, expect, test, vi } from "vitest";
import { createUnions } from "../../../lib/gateway/search/unions.ts";
import { exposeList } from "../../../lib/upstream/catalog/expose-list.ts";
import { readList } from "../../../lib/upstream/catalog/read-list.ts";
import { manyTools, toolOf } from "./mcp-server.ts";
import { proxyApp } from "./proxying-gateway.ts";

afterEach(() => vi.restoreAllMocks());

/** What an app lists, a new object each time. */
async function listed(name: string, tools = manyTools(200)) {
  const app = proxyApp(name);
  return { app, list: await exposeList("tools", app, await readList("tools", async () => ({ tools }))) };
}

/** How often others had a turn meanwhile: once a question, and once for each part of an index that had to be made. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  const turns = vi.spyOn(globalThis, "setTimeout");
  turns.mockClear();
  await work();
  return turns.mock.calls.length;
}

test("an index is made in parts, and once for all whose lists say the same", async () => {
  const unions = createUnions(new Map());
  const lists = [[await listed("a")], [await listed("a")], [await listed("b")]];
  const turns: number[] = [];
  for (const one of lists) turns.push(await turnsOf(() => unions.find("create invoice", one)));
  expect(turns).toEqual([4, 1, 4]);
});

test.each([
  ["name", { name: "export_invoice_7" }],
  ["title", { title: "Export an invoice" }],
  ["description", { description: "Exports an invoice." }],
  ["annotation", { annotations: { readOnlyHint: true } }],
  ["title among the annotations", { annotations: { title: "Export an invoice" } }],
])("an index is made anew where one tool of a list has another %s, and kept beside the one before", async (_, more) => {
  const unions = createUnions(new Map());
  const [first = expect.fail(), ...others] = manyTools(200);
  const changed = [{ ...first, ...more }, ...others];
  const turns: number[] = [];
  for (const tools of [manyTools(200), changed, changed, manyTools(200)]) {
    const lists = [await listed("a", tools)];
    turns.push(await turnsOf(() => unions.find("create invoice", lists)));
  }
  expect(turns).toEqual([4, 4, 1, 1]);
});

test("who asks while an index is made helps to make it", async () => {
  const unions = createUnions(new Map());
  const lists = [await listed("a")];
  const questions = ["create invoice", "get ticket", "update price", "get route"];
  const found: string[] = [];
  const ask = async (question: string) => void found.push(...(await unions.find(question, lists)).slice(0, 1));
  // Each of them alone would take four.
  expect(await turnsOf(() => Promise.all(questions.map(ask)))).toBeLessThan(8);
  expect(found).toHaveLength(4);
});

test("indexes that were used longest ago make room", async () => {
  const unions = createUnions(new Map(), 400);
  const [a, b, c] = [[await listed("a")], [await listed("b")], [await listed("c")]];
  for (const lists of [a, b, a, c]) await unions.find("create invoice", lists);
  expect(await turnsOf(() => unions.find("create invoice", a))).toBe(1);
  expect(await turnsOf(() => unions.find("create invoice", b))).toBe(4);
});

test("39. nobody finds what another one's list has", async () => {
  const unions = createUnions(new Map());
  const mine = [await listed("a", [toolOf("read_report")])];
  const theirs = [await listed("a", [toolOf("read_report"), toolOf("read_secret_report")])];
  expect(await unions.find("secret report", theirs)).toEqual(["a_read_secret_report", "a_read_report"]);
  expect(await unions.find("secret report", mine)).toEqual(["a_read_report"]);
});

test("of two tools with one name the first is found, once", async () => {
  const unions = createUnions(new Map());
  const [a, b] = [await listed("a", [toolOf("x", { description: "red" })]), await listed("a", [toolOf("x")])];
  expect(await unions.find("red", [a, b])).toEqual(["a_x"]);
  expect(await unions.find("red", [b, a])).toEqual([]);
});

test("texts that take long to read are read in part", async () => {
  const odd = ["](".repeat(500_000), "<".repeat(500_000), "Ünicode ".repeat(100_000), "\n".repeat(500_000)];
  const tools = odd.flatMap((text, at) => [
    toolOf(`tool_${at}`, { description: `marvellous ${text}`, title: text, annotations: { title: text } }),
  ]);
  expect(await createUnions(new Map()).find("marvellous", [await listed("a", tools)])).toHaveLength(4);
});
