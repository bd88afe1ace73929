import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";

/** Policies in Rego, each with the plan that `opa build -t plan -e orchestrator/result` made of it (its `plan.json`). */
export const FOLDER = join(import.meta.dirname, "policies");
export const NAMES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".rego"))
  .map((file) => file.slice(0, -".rego".length));

export function readPlan(name: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.plan`), "utf8"));
}

/** What all of them read below `data`. */
export const DATA = {
  grants: { editor: ["createNote", "getNote"], reader: ["getNote"], treasurer: ["createPayment"] },
  required: { createPayment: ["payments:write", "payments:read"], getNote: ["notes:read"] },
  members: {
    "a-person": ["team", "staff"],
    team: ["owners", "staff"],
    staff: ["a-person"],
    owners: [],
    "an-other": ["staff"],
  },
};

const word = fc.constantFrom(
  "a",
  "abc",
  "axe 12",
  "secret",
  "Ünïcode é",
  "x.x ",
  "",
  "t1",
  "t22",
  "tag",
  "𝒳y",
  'a\tb\n"q"<&>',
  "z-9 e e",
);
const number = fc.oneof(
  fc.integer({ min: -50, max: 200 }),
  fc.constantFrom(0.1, 0.2, 0.3, 1.5, -2.5, 99.99, 1e-7, 123456.789, 9007199254740991, 0.5, 7, 49.5),
  fc.double({ min: -1000, max: 1000, noNaN: true }),
);
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: "small" }, word, number, fc.boolean(), fc.constant(null), tie("list"), tie("object")),
  list: fc.array(tie("any"), { maxLength: 4 }),
  object: fc.dictionary(fc.constantFrom("a", "b", "by", "é"), tie("any"), { maxKeys: 3 }),
})).any;

/** A call as policies learn of it, with arguments of all kinds. */
export const inputs = fc.record({
  request: fc.record({
    http: fc.record({
      remoteAddress: fc.constantFrom("10.1.2.3", "192.168.1.1", "8.8.8.8", "fd00::1", "::ffff:10.0.0.1"),
    }),
    mcp: fc.record({
      http: fc.record({
        headers: fc.record({
          "User-Agent": fc.constantFrom("agent/1.2.0", "agent/1.1.9-rc.1", "agent/2", "agent/a/1.0.0", "curl/8"),
        }),
      }),
      tool: fc.record({
        params: fc.record({
          name: fc.constantFrom("getNote", "createNote", "createPayment", "deleteNote"),
          arguments: fc.record(
            {
              id: word,
              tags: fc.oneof(fc.array(word, { maxLength: 3 }), value),
              memo: word,
              nested: value,
              amount: fc.oneof(number, fc.constantFrom("12", "1e2", "abc", "1000.5")),
              list: fc.oneof(fc.array(number, { maxLength: 5 }), value),
              currency: fc.constantFrom("EUR", "USD", "JPY", "GBP"),
              to: fc.constantFrom("NL12TEST0123", "NL12ABNA0123", "RU1", ""),
              other: value,
            },
            { requiredKeys: [] },
          ),
        }),
      }),
    }),
  }),
  user: fc.record(
    {
      sub: fc.constantFrom("a-person", "an-other", "nobody", "team"),
      roles: fc.subarray(["editor", "reader", "treasurer", "premium"]),
      zone: fc.constantFrom("UTC", "Europe/Amsterdam", "America/New_York", "Asia/Kathmandu", "No/Where"),
    },
    { requiredKeys: ["sub", "roles"] },
  ),
  token: fc.record({
    claims: fc.record({
      scope: fc.constantFrom("", "notes:read", "notes:read notes:write", "payments:write x"),
      at: fc.constantFrom(
        "2026-03-29T01:30:00Z",
        "2026-07-01T07:59:59.5Z",
        "2026-11-01T05:30:00-04:00",
        "2026-11-02T12:00:00Z",
        "x",
      ),
    }),
  }),
});
