import { afterAll, beforeAll, expect, test } from "vitest";
import { read } from "./documents.ts";
import { judgeDocument } from "./judge-document.ts";
import { type Receiver, startReceiver } from "./receiver/server.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

function judge(path: string) {
  return judgeDocument(read(path, path), receiver, 1);
}

test("requests of every style and body kind arrive as the document says, by an independent validator", async () => {
  const { failures, refused, leftOut, tools, calls, right } = await judge("test/openapi/every-kind.openapi.yaml");
  expect({ failures, refused, leftOut }).toEqual({ failures: [], refused: [], leftOut: new Map() });
  expect(tools).toHaveLength(15);
  expect(calls).toBeGreaterThan(tools.length);
  expect(right).toBe(calls);
});

test("those of the quickstart's API, too", async () => {
  const { failures, refused, leftOut, calls, right } = await judge("examples/quickstart/openapi.yaml");
  expect({ failures, refused, leftOut }).toEqual({ failures: [], refused: [], leftOut: new Map() });
  expect(right).toBe(calls);
});
