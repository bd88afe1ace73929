import fc from "fast-check";
import { expect, test } from "vitest";
import { rulesOf } from "../../../lib/upstream/names/rules-of.ts";
import { rewriteText } from "../../../lib/upstream/wire/json-rewriter.ts";
import { needsRewriting } from "../../../lib/upstream/wire/rewrite-rules.ts";

const rules = rulesOf({ name: "ledger", namespace: "ledger_" }, "tools/call");

function isRewritten(text: string, id: string | number = 1): boolean {
  return needsRewriting(text, JSON.parse(text), id, rules);
}

test("an answer with the agent's id and without names of resources and tasks stays as it is", () => {
  expect(
    isRewritten('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"all \\n\\"is\\" well"}]}}'),
  ).toBe(false);
});

test.each([
  ["another id", '{"jsonrpc":"2.0","id":2,"result":{}}'],
  ["an id of another type", '{"jsonrpc":"2.0","id":"1","result":{}}'],
  ["two ids", '{"jsonrpc":"2.0","id":2,"id":1,"result":{}}'],
  ["two ids, of which one is spelled in another way", '{"jsonrpc":"2.0","\\u0069d":2,"id":1,"result":{}}'],
  ["a link", '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"resource_link","uri":"a:b"}]}}'],
  ["a task", '{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"1"}}}'],
  ["a page", '{"jsonrpc":"2.0","id":1,"result":{"_meta":{"ui\\/resourceUri":"ui://a"}}}'],
])("one with %s is rewritten", (_, text) => {
  expect(isRewritten(text)).toBe(true);
});

test("what is not rewritten would have come out the same", () => {
  const name = fc.constantFrom("id", "uri", "\\u0069d", "ur\\u0069", "resource", "content", "text", "result");
  const member = fc.tuple(name, fc.constantFrom('"a:b"', "1", '"1"', '{"uri":"a:b"}', '[{"uri":"a:b"}]', "[]"));
  fc.assert(
    fc.property(fc.array(member, { maxLength: 4 }), fc.array(member, { maxLength: 3 }), (outer, inner) => {
      const written = (members: readonly (readonly [string, string])[]) =>
        members.map(([key, json]) => `"${key}":${json}`);
      const text = `{${[...written(outer), `"result":{${written(inner).join()}}`, '"id":1'].join()}}`;
      if (isRewritten(text)) return;
      expect(rewriteText(text, { ...rules, set: [{ path: ["id"], json: "1" }] })).toBe(text);
    }),
  );
});
