import fc from "fast-check";
import { expect, test } from "vitest";
import { answerBody, messageText } from "../../lib/mcp/outlet.ts";

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

test("a long list is written as the same JSON in bytes, again and with another tool", () => {
  const many = Array.from({ length: 100 }, (_, at) => ({ name: `tool_${at}`, title: "Größe 😀" }));
  for (const tools of [many, many, [...many, { name: "more" }]]) {
    for (const result of [{ tools }, { _meta: { a: 1 }, tools, ttlMs: 0 }]) {
      const message = { jsonrpc: "2.0", id: 7, result };
      const body = answerBody({ message });
      expect(body).toBeInstanceOf(Uint8Array);
      expect(new TextDecoder().decode(body as Uint8Array)).toBe(messageText(message));
      expect(JSON.parse(messageText(message))).toEqual(message);
    }
  }
  const few = { jsonrpc: "2.0", id: 7, result: { tools: many.slice(0, 3) } };
  expect(answerBody({ message: few })).toBe(messageText(few));
});

test("a list without tools, and a message of a list alone, are written too", () => {
  expect(messageText({ result: { tools: [] } })).toBe('{"result":{"tools":[]}}');
  expect(messageText({ jsonrpc: "2.0", method: "ping" })).toBe('{"jsonrpc":"2.0","method":"ping"}');
});
