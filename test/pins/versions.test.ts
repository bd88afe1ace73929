import { describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import {
  approveHeld,
  firstListing,
  forget,
  hasRoom,
  holdListed,
  isWaiting,
  MOST_APPROVED,
  MOST_AT_ONCE,
  MOST_HELD,
  MOST_TOOLS,
  MOST_WAITING,
  type PinsChange,
  refuseHeld,
  textsOf,
} from "../../lib/pins/versions.ts";
import { DEFINITION_BYTES, NO_PINS, PINS_BYTES, type PinsRecord } from "../../lib/stores/pins.ts";
import { toolVersion } from "../../lib/upstream/catalog/tool-version.ts";

const MINUTE = 60_000;
const BY = "user_1";
const listed = (tool: string, digest: string = tool, bytes = 100) => ({ tool, digest, bytes });
const many = (count: number, of: (number: number) => ReturnType<typeof listed>) =>
  Array.from({ length: count }, (_, number) => of(number));
const pinned = (...tools: readonly string[]) =>
  firstListing(
    NO_PINS,
    tools.map((tool) => listed(tool)),
    0,
  ).record;
const held = (record: PinsRecord, ...versions: readonly ReturnType<typeof listed>[]): PinsChange =>
  holdListed(record, versions, record.revision) ?? expect.fail("nothing was held");
const sizeOf = (record: PinsRecord) => new TextEncoder().encode(JSON.stringify(record)).length;

describe("the digest of a tool", () => {
  test("74. it is SHA-256 of canonical JSON (RFC 8785, appendix B and section 3.2)", () => {
    const definition = JSON.parse(
      `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0,1e21,9007199254740993],
       "string":"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}`,
    );
    const text = `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,9007199254740992],"string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`;
    const { digest, bytes } = toolVersion("tool", definition);
    expect([digest, bytes]).toEqual([sha256base64url(text), new TextEncoder().encode(text).length]);
  });

  test("74. members are sorted by UTF-16 units, also those that have names of the language", () => {
    const text = `{"\\r":1,"1":2,"__proto__":3,"\u0080":4,"ö":5,"€":6,"\u{1F600}":7,"\ufb33":8}`;
    const shuffled = JSON.parse(`{"\u{1F600}":7,"ö":5,"__proto__":3,"\ufb33":8,"1":2,"€":6,"\\r":1,"\u0080":4}`);
    expect(toolVersion("tool", shuffled).digest).toBe(sha256base64url(text));
    expect(toolVersion("tool", JSON.parse(text)).digest).toBe(sha256base64url(text));
  });
});

describe("what a list makes of pins", () => {
  test("74. the first list is approved, and what comes later is held, each version once", () => {
    const first = pinned("a", "b");
    expect(first).toMatchObject({ revision: 1, firstAt: 0 });
    const { record, added } = held(first, listed("a"), listed("a", "changed"), listed("c"));
    expect(added.map(({ digest }) => digest)).toEqual(["changed", "c"]);
    expect(holdListed(record, [listed("a", "changed"), listed("b"), listed("c")], 9)).toBeUndefined();
  });

  test("74. an upstream that lists 100,000 tools fills a bounded record, and the rest is held", () => {
    const all = many(100_000, (number) => listed(`tool ${number}`, sha256base64url(String(number))));
    const first = firstListing(NO_PINS, all, 1);
    expect(first.record.tools.length).toBeLessThanOrEqual(MOST_TOOLS);
    expect(sizeOf(first.record)).toBeLessThan(PINS_BYTES);
    let { record } = first;
    for (let round = 0; round < 50; round++) {
      const change = holdListed(record, all, round);
      if (change === undefined) break;
      ({ record } = change);
    }
    expect(holdListed(record, all, 1_000 * MINUTE)).toBeUndefined();
    expect(sizeOf(record)).toBeLessThan(PINS_BYTES);
    const long = many(2_000, (number) => listed(`${number} ${"ü".repeat(900)}`));
    expect(sizeOf(firstListing(NO_PINS, long, 1).record)).toBeLessThan(PINS_BYTES);
  });

  test("74. of new tools so many wait, and no more at once than a store writes", () => {
    let record = pinned("known");
    const fresh = many(1_000, (number) => listed(`new ${number}`));
    for (;;) {
      const change = holdListed(record, fresh, 1);
      if (change === undefined) break;
      expect(change.added.length).toBeLessThanOrEqual(MOST_AT_ONCE);
      ({ record } = change);
    }
    expect(record.tools.filter(isWaiting)).toHaveLength(MOST_WAITING);
    const refused = refuseHeld(record, { tool: "new 0", digest: "new 0", by: BY, at: 2 })?.record ?? record;
    expect(held(refused, ...fresh).added).toEqual([listed(`new ${MOST_WAITING}`)]);
  });

  test("74. a new description at each listing is recorded ever more seldom, the newest ones stay", () => {
    let record = pinned("tool");
    let recorded = 0;
    const texts: string[] = [];
    for (let at = 0; at < 24 * 60 * MINUTE; at += MINUTE / 2) {
      const change = holdListed(record, [listed("tool", `version ${at}`)], at);
      if (change === undefined) continue;
      recorded += change.added.length;
      texts.push(...change.dropped);
      ({ record } = change);
    }
    expect(recorded).toBeLessThan(20);
    expect(record.tools[0]?.held).toHaveLength(MOST_HELD);
    expect(texts).toHaveLength(recorded - MOST_HELD);
    const last = record.tools[0]?.held.at(-1)?.digest ?? "";
    const decided = refuseHeld(record, { tool: "tool", digest: last, by: BY, at: 1 })?.record ?? record;
    expect(holdListed(decided, [listed("tool", "after a decision")], 2)?.added).toHaveLength(1);
  });

  test("74. texts are kept up to a length and a sum; without one a version is known all the same", () => {
    const { record } = firstListing(
      NO_PINS,
      [
        listed("long", "long", DEFINITION_BYTES + 1),
        ...many(100, (number) => listed(String(number), String(number), DEFINITION_BYTES)),
      ],
      1,
    );
    expect(record.tools).toHaveLength(101);
    expect(textsOf(record).size).toBe(64);
    expect(textsOf(record)).not.toContain("long");
  });
});

describe("what owners decide", () => {
  const changed = held(pinned("a"), listed("a", "second"), listed("a", "third")).record;

  test("74. an approved version stands beside those that were approved before", () => {
    const { record } = approveHeld(changed, { tool: "a", digest: "second", by: BY, at: 5 }) ?? expect.fail();
    const [tool] = record.tools;
    expect(tool?.approved).toEqual([
      { digest: "a", at: 0, bytes: 100 },
      { digest: "second", at: 5, by: BY, bytes: 100 },
    ]);
    expect(tool?.held.map(({ digest }) => digest)).toEqual(["third"]);
    expect(approveHeld(record, { tool: "a", digest: "second", by: BY, at: 6 })).toBeUndefined();
    expect(approveHeld(record, { tool: "b", digest: "third", by: BY, at: 6 })).toBeUndefined();
  });

  test("74. a refused version stays held, and may be approved after all", () => {
    const { record } = refuseHeld(changed, { tool: "a", digest: "third", by: BY, at: 5 }) ?? expect.fail();
    expect(record.tools[0]?.held[1]).toEqual({ digest: "third", at: 1, bytes: 100, refused: { at: 5, by: BY } });
    const approved = approveHeld(record, { tool: "a", digest: "third", by: BY, at: 6 })?.record.tools[0]?.approved;
    expect(approved?.at(-1)).toEqual({ digest: "third", at: 6, by: BY, bytes: 100 });
  });

  test("74. so many versions are approved of a tool, the oldest goes, and few texts stay", () => {
    let record = pinned("a");
    const dropped: string[] = [];
    for (let number = 1; number <= MOST_APPROVED + 2; number++) {
      record = held(record, listed("a", `version ${number}`)).record;
      const change = approveHeld(record, { tool: "a", digest: `version ${number}`, by: BY, at: number });
      ({ record } = change ?? expect.fail());
      dropped.push(...(change?.dropped ?? []));
    }
    expect(record.tools[0]?.approved).toHaveLength(MOST_APPROVED);
    expect(record.tools[0]?.approved[0]?.digest).toBe("version 3");
    expect(textsOf(record).size + dropped.length).toBe(MOST_APPROVED + 3);
    expect(hasRoom(record)).toBe(true);
  });

  test("74. a forgotten tool is new again, and of a forgotten app the next list is the first", () => {
    const one = forget(changed, "a")?.record ?? expect.fail();
    expect(one).toMatchObject({ firstAt: 0, tools: [] });
    expect(held(one, listed("a")).record.tools[0]?.approved).toEqual([]);
    const all = forget(changed, undefined) ?? expect.fail();
    expect(all.record.firstAt).toBeUndefined();
    expect([...all.dropped].sort()).toEqual(["a", "second", "third"]);
    expect(forget(all.record, undefined)).toBeUndefined();
    expect(forget(changed, "none")).toBeUndefined();
  });
});
