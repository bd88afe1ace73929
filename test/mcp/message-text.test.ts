import fc from "fast-check";
import { expect, test } from "vitest";
import { messageText } from "../../lib/mcp/outlet.ts";

const NAMES = fc.string().filter((name) => name !== "__proto__");

test("a message is written as JSON, whatever is in it", () => {
  const member = fc.jsonValue();
  const result = fc.record({ tools: fc.array(fc.dictionary(NAMES, member)), _meta: member }, { requiredKeys: [] });
  const message = fc.record({ jsonrpc: fc.constant("2.0"), id: fc.oneof(fc.integer(), fc.string()), result });
  fc.assert(
    fc.property(message, (one) => {
      expect(JSON.parse(messageText(one))).toEqual(JSON.parse(JSON.stringify(one)));
    }),
  );
});

test("a list without tools, and a message of a list alone, are written too", () => {
  expect(messageText({ result: { tools: [] } })).toBe('{"result":{"tools":[]}}');
  expect(messageText({ jsonrpc: "2.0", method: "ping" })).toBe('{"jsonrpc":"2.0","method":"ping"}');
});
