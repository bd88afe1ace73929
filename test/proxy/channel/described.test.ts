import { describe, expect, test } from "vitest";
import {
  mergedCapabilities,
  mergedInstructions,
  withoutChanges,
} from "../../../lib/upstream/channel/merged-capabilities.ts";
import { agentFacingId, isWaitingId, upstreamId, waitingId } from "../../../lib/upstream/request-ids.ts";

describe("capabilities of several servers as one", () => {
  test("are those of the only one, whatever they are", () => {
    const odd = { tools: { odd: 1 }, experimental: { a: {} }, extensions: { "com.example/x": { y: 1 } }, tasks: {} };
    expect(mergedCapabilities([odd])).toBe(odd);
  });

  test("are what any of them can do", () => {
    const one = { tools: { listChanged: false }, resources: { subscribe: true } };
    const other = { tools: { listChanged: true }, resources: { subscribe: false, listChanged: true }, prompts: {} };
    expect(mergedCapabilities([one, other])).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: {},
    });
  });

  test("have of what nobody here knows that on which all agree who declare it", () => {
    const one = { extensions: { a: { x: 1 }, both: { y: 1 }, clash: 1 }, tasks: { list: {} }, odd: 1 };
    const other = { extensions: { both: { y: 1 }, clash: 2, b: {} }, tasks: { list: {} }, odd: 2 };
    expect(mergedCapabilities([one, other])).toEqual({
      extensions: { a: { x: 1 }, both: { y: 1 }, b: {} },
      tasks: { list: {} },
    });
  });

  test("promise nothing later where nothing can be told later", () => {
    expect(withoutChanges({ tools: { listChanged: true, odd: 1 }, resources: { subscribe: true }, odd: {} })).toEqual({
      tools: { odd: 1 },
      resources: {},
      odd: {},
    });
  });
});

test("instructions of several servers are under their apps' names, none longer than 4,000 characters", () => {
  const long = "a".repeat(5_000);
  expect(mergedInstructions([{ app: "one", instructions: long }])).toBe(long);
  const all = [
    { app: "one", instructions: long },
    { app: "silent", instructions: undefined },
    { app: "two", instructions: "Ask." },
  ];
  expect(mergedInstructions(all)).toBe(`# one\n\n${"a".repeat(4_000)}\n\n# two\n\nAsk.`);
  expect(mergedInstructions([{ app: "silent", instructions: undefined }])).toBeUndefined();
});

test("ids of upstreams' requests tell whose they are, whatever an app is called", () => {
  for (const app of ["ledger", "a/b", "~", "é%2F"]) {
    for (const id of [1, "1", "~x", 'a/"b'] as const) {
      const facing = agentFacingId(app, id);
      expect(upstreamId(facing)).toEqual({ app, id });
      expect(isWaitingId(facing)).toBe(false);
      expect(isWaitingId(waitingId(app, String(id)))).toBe(true);
      expect(upstreamId(waitingId(app, String(id)))).toBeUndefined();
    }
  }
});
