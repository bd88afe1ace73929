import { describe, expect, test } from "vitest";
import type { Assertion, Operation } from "../journal.ts";
import { IDLING, type Trouble } from "../target.ts";
import { leastActivity } from "./activity.ts";
import { CLIENT, GRANTS, KEY, type Story, story } from "./story.ts";

const REPLAY: Operation = { kind: "token", assertion: { client: CLIENT, key: KEY, jti: "jti of token 1" } };
const newAssertion = (number: number): Assertion => ({ client: CLIENT, key: KEY, jti: `new jti ${number}` });

describe("a chaos run", () => {
  const SECONDS = 120;
  const EVICTION: Trouble = { kind: "evict", cutsOff: false, cause: async () => undefined };
  const LEAST = leastActivity(SECONDS, { troubles: [EVICTION], idleTime: 1 });
  /** Everything that is asked for, except for one thing less often by one. */
  const eventful = (spared?: string): Story => {
    const it = story();
    const acts: Readonly<Record<string, (number: number) => void>> = {
      "tokens issued": (number) => it.issue(`token ${number}`),
      "tokens revoked": (number) =>
        it.tell({ kind: "revoke_token", token: `other ${number}`, assertion: newAssertion(number) }, 200),
      introspections: () => it.introspect("foreign", false),
      "replays tried": () => it.tell(REPLAY, 400),
      "keys added": () => it.tell({ kind: "add_key", client: CLIENT }, 201, { key: "key_2" }),
      "keys revoked": () => it.tell({ kind: "revoke_key", client: "client_2", key: "key_3" }, 200),
      "grants changed": () => it.tell({ kind: "change_grants", client: "client_2", grants: GRANTS }, 200),
      "clients deleted": (number) =>
        it.tell({ kind: "delete_client", client: `gone ${number}`, revokeTokens: false }, 204),
      "clients deleted with their tokens": (number) =>
        it.tell({ kind: "delete_client", client: `gone with tokens ${number}`, revokeTokens: true }, 204),
    };
    for (const [what, times] of Object.entries(LEAST)) {
      const act = acts[what] ?? (() => it.disturb(what, false, () => undefined));
      const done = what === "keys added" ? 1 : 0; // the story's own
      for (let number = what === spared ? 1 + done : done; number < times; number++) act(number);
    }
    return it;
  };
  const untried = (it: Story): readonly string[] => {
    it.findings.leastActivity = LEAST;
    return it.violations().flatMap(({ rule, text }) => (rule === "nothing was tried" ? [text] : []));
  };

  test("in which nothing was tried shows nothing", () => {
    expect(untried(story())).toHaveLength(Object.keys(LEAST).length);
  });
  test("needs each thing as often as its length allows", () => {
    for (const what of Object.keys(LEAST)) {
      expect(untried(eventful(what)), what).toEqual([expect.stringMatching(`^${what}: `)]);
    }
    expect(untried(eventful())).toEqual([]);
  });
  test("of ten seconds needs tokens and replays, and not each trouble", () => {
    const least = leastActivity(10, { troubles: [EVICTION], idleTime: 1 });
    expect(least).toMatchObject({ "tokens issued": 100, "replays tried": 50, kill: 1, evict: 0, [IDLING]: 0 });
    expect(LEAST).toMatchObject({ "keys revoked": 24, kill: 7, evict: 1, [IDLING]: 1 });
  });
  test("does not count what nobody acknowledged", () => {
    const it = eventful("keys revoked");
    it.disturb("kill", true, () => it.lose({ kind: "revoke_key", client: "client_2", key: "key_3" }, "cut_off"));
    expect(untried(it)).toEqual([expect.stringMatching("^keys revoked: 23,")]);
  });
});
