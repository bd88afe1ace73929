import { describe, expect, test } from "vitest";
import type { Call, Ending } from "./journal.ts";
import { leastActivity } from "./judge/activity.ts";
import { type Story, story } from "./judge/story.ts";
import { readEnding } from "./read-ending.ts";
import { longText } from "./upstream/texts.ts";

const UNCLEAR = "a call without a result or a clear error";
const CARRIED_OUT = "a call carried out twice, elsewhere or never";
const RECORD = "a record too few, too many or wrong";
const ANOTHERS = "a session that is another's";
const NOT_ON = "a session that did not go on";

const LOST: Ending = { kind: "lost", text: "" };
const ERROR: Ending = { kind: "error", status: 200, code: -32603, text: "The upstream could not be reached." };

/** A story of two agents, with what the case adds. */
function told(add: (it: Story) => void): readonly string[] {
  const it = story();
  it.call();
  it.call({ agent: "D", label: "D", principal: "bob/agent-1" });
  add(it);
  return it.rules();
}

describe("the judge of a chaos run at the proxy", () => {
  test("finds nothing where nothing is wrong", () => {
    expect(told(() => undefined)).toEqual([]);
    expect(told((it) => it.call({}, ERROR))).toEqual([]);
  });

  describe("answers", () => {
    test("that break off need a gateway that was killed meanwhile", () => {
      expect(told((it) => it.call({}, LOST))).toEqual([UNCLEAR]);
      expect(told((it) => it.kill(it.call({}, LOST)))).toEqual([]);
    });
    test("that break off in the middle of a long one need a record that says so", () => {
      const half = { what: "half" } as const;
      expect(told((it) => it.call(half, LOST))).toEqual([]);
      expect(told((it) => it.call(half, { kind: "unsent", text: "" }))).toEqual([]);
      const recorded = (outcome: string) =>
        told((it) => {
          it.call(half, LOST);
          it.records.push({ ...it.records.pop(), outcome } as never);
        });
      expect(recorded("success")).toEqual([UNCLEAR]);
    });
    test("that never come, or are another's, are nobody's fault but the gateway's", () => {
      expect(told((it) => it.kill(it.call({}, { kind: "timeout", text: "" })))).toEqual([UNCLEAR]);
      expect(told((it) => it.call({}, { kind: "wrong", text: "another nonce" }))).toContain(UNCLEAR);
    });
    test("to what the upstream breaks off have no result", () => {
      expect(told((it) => it.call({ what: "half" }))).toEqual([UNCLEAR]);
    });
  });

  describe("calls", () => {
    test("are carried out once, by the upstream that they are for", () => {
      expect(told((it) => it.taken.push(it.taken[0] as never))).toEqual([CARRIED_OUT]);
      expect(told((it) => it.taken.pop())).toEqual([CARRIED_OUT]);
      expect(told((it) => it.taken.push({ ...(it.taken.pop() as never as object), app: "plain" } as never))).toEqual([
        CARRIED_OUT,
      ]);
    });
  });

  describe("records", () => {
    const changed = (change: object) => told((it) => it.records.push({ ...it.records.pop(), ...change } as never));
    test("are one for each call that was answered", () => {
      expect(told((it) => it.records.pop())).toEqual([RECORD]);
      expect(told((it) => it.records.push({ ...it.records[0], id: "again" } as never))).toEqual([RECORD]);
      expect(changed({ argumentsDigest: "of no call" })).toEqual([RECORD]);
    });
    test("tell how it ended, where, and who called", () => {
      expect(changed({ outcome: "upstream_error" })).toEqual([RECORD]);
      expect(changed({ outcome: "unknown" })).toEqual([RECORD]);
      expect(changed({ app: "plain" })).toEqual([RECORD]);
      expect(changed({ user: "alice" })).toEqual([RECORD]);
    });
    test("stay open, or are not there, where a kill cut the call off alone", () => {
      const cut = (change: (it: Story) => void) =>
        told((it) => {
          it.kill(it.call({}, LOST));
          change(it);
        });
      expect(cut((it) => it.records.pop())).toEqual([]);
      expect(cut((it) => it.records.push({ ...it.records.pop(), outcome: "unknown" } as never))).toEqual([]);
      expect(cut((it) => it.records.push({ ...it.records.at(-1), id: "again" } as never))).toEqual([RECORD]);
      const left = (it: Story) => it.call({}, { kind: "left", text: "" });
      expect(told(left)).toEqual([]);
      expect(
        told((it) => {
          left(it);
          it.records.push({ ...it.records.pop(), outcome: "unknown" } as never);
        }),
      ).toEqual([RECORD]);
    });
  });

  describe("sessions", () => {
    const retaken = (change: object) => told((it) => it.taken.push({ ...it.taken.pop(), ...change } as never));
    test("of an upstream are one agent's alone", () => {
      expect(retaken({ session: "of A" })).toEqual([ANOTHERS]);
      expect(retaken({ principal: "alice/agent-1" })).toEqual([ANOTHERS]);
      expect(retaken({ principal: "" })).toEqual([ANOTHERS]);
      expect(told((it) => it.heard.push({ session: "A", label: "D" }))).toEqual([ANOTHERS]);
    });
    test("go on as long as the upstream lives", () => {
      const again = (change: object) =>
        told((it) => {
          it.call();
          it.taken.push({ ...it.taken.pop(), ...change } as never);
        });
      expect(again({})).toEqual([]);
      expect(again({ session: "another" })).toEqual([NOT_ON]);
      expect(again({ session: "another", life: "second" })).toEqual([]);
      expect(told((it) => it.sessionsLost.push("A"))).toEqual([NOT_ON]);
    });
  });

  test("what does not work afterwards, and errors in the log, are told", () => {
    const it = story();
    Object.assign(it.findings, { unrecovered: ["echo of ledger"], logged: ["{}"] });
    expect(it.rules()).toEqual(["not as before after the torment", "an error in the log"]);
  });

  test("a run in which nothing happened shows nothing", () => {
    const it = story();
    it.findings.least = leastActivity(120);
    expect(it.rules()).toEqual(["nothing was tried"]);
  });
});

describe("an answer", () => {
  const CALL: Call = { nonce: "n1", agent: "A", label: "A", principal: "alice/agent-1", app: "ledger", what: "big" };
  const said = { app: "ledger", what: "big", nonce: "n1", principal: "alice/agent-1", label: "A" };
  const result = (change: object = {}, long = longText("n1")) => ({
    jsonrpc: "2.0",
    id: 7,
    result: { content: [{ text: JSON.stringify({ ...said, ...change }) }, { text: long }] },
  });
  const event = (message: object, type = "") => `${type}data: ${JSON.stringify(message)}\n\n`;
  const kindOf = (text: string, status = 200) =>
    readEnding({ status, session: undefined, type: "text/event-stream", text }, 7, CALL).kind;

  test("is a result where it is that of the call, whole", () => {
    expect(kindOf(event(result()))).toBe("result");
    expect(
      kindOf(event(result(), "event: aborted\n") + event({ id: 7, error: { code: -32603, message: "It broke off." } })),
    ).toBe("error");
  });
  test.each([
    ["of another call", event(result({ nonce: "n2" }))],
    ["for somebody else", event(result({ principal: "bob/agent-1" }))],
    ["of another session", event(result({ label: "B" }))],
    ["with half of its text", event(result({}, longText("n1").slice(1)))],
    ["to another request", event({ ...result(), id: 8 })],
    ["that comes twice", event(result()) + event(result())],
    ["that is not whole", event(result()).slice(0, -1)],
    ["that is no JSON", "data: {\n\n"],
    ["that aborts and says no more", event(result(), "event: aborted\n")],
    ["with an error that says nothing", event({ id: 7, error: { code: -32603, message: "" } })],
    [
      "with the progress of another",
      event({ method: "notifications/progress", params: { progressToken: "n2" } }) + event(result()),
    ],
  ])("%s is wrong", (_, text) => {
    expect(kindOf(text)).toBe("wrong");
  });
});
