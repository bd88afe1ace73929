import { describe, expect, test } from "vitest";
import type { Assertion, Operation } from "./journal.ts";
import { CLIENT, conclude, GRANTS, KEY, type Story, story } from "./judge/story.ts";
import { secretsToFind } from "./secrets.ts";

const ASSERTION: Assertion = { client: CLIENT, key: KEY, jti: "a jti" };
const ASK: Operation = { kind: "token", assertion: ASSERTION };
const REVOKE_KEY: Operation = { kind: "revoke_key", client: CLIENT, key: KEY };
const REVOKE_TOKEN: Operation = { kind: "revoke_token", token: "one", assertion: { ...ASSERTION, jti: "another jti" } };
const deleteClient = (revokeTokens: boolean): Operation => ({ kind: "delete_client", client: CLIENT, revokeTokens });
const grant = (...scopes: readonly string[]): Operation => ({
  kind: "change_grants",
  client: CLIENT,
  grants: { ...GRANTS, scopes },
});
const asked = (resource: string): Operation => ({ ...ASK, kind: "token", resource });

/** A story of which the first token is part, with what the case adds and how the first token ends. */
function told(add: (it: Story) => void, isActive = true): readonly string[] {
  const it = story();
  it.issue("one");
  add(it);
  return conclude(it, { one: isActive });
}

describe("the judge of a chaos run", () => {
  test("finds nothing where nothing is wrong", () => {
    expect(told(() => undefined)).toEqual([]);
  });

  describe("tokens", () => {
    test("lost after the last restart", () => {
      expect(told(() => undefined, false)).toEqual(["token lost"]);
    });
    test("lost for a while only", () => {
      expect(told((it) => it.introspect("one", false))).toEqual(["token lost"]);
    });
    test("never looked at again", () => {
      const it = story();
      it.issue("one");
      expect(conclude(it, {})).toEqual(["token lost"]);
    });
    test("may be inactive once their end was asked for, although no answer came", () => {
      const revoke = (it: Story) => it.disturb("kill", true, () => it.lose(REVOKE_TOKEN, "cut_off"));
      expect(told(revoke, false)).toEqual([]);
      expect(told(revoke, true)).toEqual([]);
    });
    test("ended by a revocation that never left the driver", () => {
      const revoke = (it: Story) => it.disturb("kill", true, () => it.lose(REVOKE_TOKEN, "unsent"));
      expect(told(revoke, false)).toEqual(["token lost"]);
    });
    test("active after their revocation", () => {
      expect(told((it) => it.tell(REVOKE_TOKEN, 200))).toEqual(["revoked and still accepted"]);
      expect(told((it) => it.tell(REVOKE_TOKEN, 200), false)).toEqual([]);
    });
  });

  describe("clients that are deleted", () => {
    const deleted = (revokeTokens: boolean, isActive: boolean, status = 204): readonly string[] => {
      const it = story();
      it.issue("one");
      it.tell(deleteClient(revokeTokens), status);
      it.restart();
      it.introspect("one", isActive);
      return it.violations().map(({ rule }) => rule);
    };
    test("keep their tokens unless these are revoked too", () => {
      expect(deleted(false, true)).toEqual([]);
      expect(deleted(false, false)).toEqual(["token lost"]);
      expect(deleted(true, false)).toEqual([]);
      expect(deleted(true, true)).toEqual(["revoked and still accepted"]);
    });
    test("are gone when a repeated deletion finds nothing", () => {
      expect(deleted(true, true, 404)).toEqual(["revoked and still accepted"]);
    });
    test("get no token any more", () => {
      expect(told((it) => it.tell(deleteClient(false), 204))).toEqual(["revoked and still accepted"]);
    });
    test("leave no token active that was issued while they were deleted", () => {
      const it = story();
      const answer = it.begin(deleteClient(true));
      it.issue("one");
      answer(204);
      it.restart();
      it.introspect("one", true);
      expect(it.violations().map(({ rule }) => rule)).toEqual(["revoked and still accepted"]);
    });
  });

  describe("assertions", () => {
    test("accepted twice at the token endpoint", () => {
      const it = story();
      it.issue("one");
      it.issue("two", { jti: "jti of one" });
      expect(conclude(it, { one: true, two: true })).toEqual(["assertion accepted twice"]);
    });
    test("accepted at two endpoints", () => {
      const again: Operation = { kind: "introspect", token: "one", assertion: { ...ASSERTION, jti: "jti of one" } };
      expect(told((it) => it.tell(again, 200, { active: true }))).toEqual(["assertion accepted twice"]);
    });
    test("are as good as new when the same jti is another client's", () => {
      const it = story();
      it.issue("one");
      it.tell({ kind: "create_client", grants: GRANTS }, 201, { client: "client_2" });
      it.issue("two", { client: "client_2", key: "key_2", jti: "jti of one" });
      expect(conclude(it, { one: true, two: true })).toEqual([]);
    });
    test("may be accepted after an answer that was lost", () => {
      const it = story();
      it.disturb("kill", true, () => it.lose({ ...ASK, assertion: { ...ASSERTION, jti: "jti of one" } }, "cut_off"));
      it.issue("one");
      expect(conclude(it, { one: true })).toEqual([]);
    });
  });

  describe("what was taken away", () => {
    test("a key whose revocation was acknowledged before the request was sent", () => {
      expect(told((it) => it.tell(REVOKE_KEY, 200))).toEqual(["revoked and still accepted"]);
    });
    test("a key may be accepted in a request that was under way", () => {
      const it = story();
      const answer = it.begin(REVOKE_KEY);
      it.issue("one");
      answer(200);
      it.restart();
      it.introspect("one", true);
      expect(it.violations()).toEqual([]);
    });
    test("a scope", () => {
      expect(told((it) => it.tell(grant(), 200))).toEqual(["revoked and still accepted"]);
    });
    test("a scope may be granted while its removal is uncertain, or after it was given back", () => {
      expect(told((it) => it.disturb("kill", true, () => it.lose(grant(), "cut_off")))).toEqual([]);
      const backAgain = (it: Story) => {
        it.tell(grant(), 200);
        it.tell(grant("audit:read"), 200);
      };
      expect(told(backAgain)).toEqual([]);
    });
    test("a resource", () => {
      const two = (it: Story, resource: string) => {
        it.tell(asked(resource), 200, { requestId: "request of two", token: "two", scopes: [] });
        const event = { id: "event", requestId: "request of two", client: CLIENT, key: KEY, tokenId: "tok_two" };
        it.findings.events = it.findings.paged = [...it.findings.events, event];
        it.findings.stored = { tokenIds: ["tok_two"], events: [event], undelivered: 0 };
      };
      for (const [resource, rules] of [
        ["https://books.example/api", []],
        ["https://notes.example/api", ["revoked and still accepted"]],
      ] as const) {
        const it = story();
        two(it, resource);
        expect(conclude(it, { two: true })).toEqual(rules);
      }
    });
  });

  describe("audit events", () => {
    const EVENT = { id: "event", requestId: "request", client: CLIENT, key: KEY, tokenId: "tok_surplus" };
    const store = (it: Story): void => {
      const { events, stored } = it.findings;
      it.findings.events = it.findings.paged = [...events, EVENT];
      it.findings.stored = {
        ...stored,
        tokenIds: [...stored.tokenIds, EVENT.tokenId],
        events: [...stored.events, EVENT],
      };
    };
    const found = (change: (it: Story) => void): readonly string[] => {
      const it = story();
      it.issue("one");
      conclude(it, { one: true });
      change(it);
      return it.violations().map(({ text }) => text);
    };

    test("that are missing", () => {
      const change = (it: Story) => {
        it.findings.events = it.findings.paged = it.findings.events.slice(1);
      };
      expect(found(change)).toEqual([expect.stringContaining("has no event"), expect.stringContaining("not shown")]);
    });
    test("that are there twice", () => {
      const change = (it: Story) => {
        const [first] = it.findings.events;
        it.findings.events = it.findings.paged = [...it.findings.events, { ...EVENT, ...first, id: "event again" }];
      };
      expect(found(change)).toEqual([
        "event of token tok_one exists 2 times",
        "event of request request of one exists 2 times",
        "the API shows the event event again, which is not stored",
      ]);
    });
    test("of nobody's request", () => {
      expect(found(store)).toEqual([expect.stringContaining("1 events without an acknowledged token, but only 0")]);
    });
    test("of a request whose answer was lost", () => {
      const lost = (it: Story) => {
        it.disturb("kill", true, () => it.lose(ASK, "cut_off"));
        store(it);
      };
      expect(found(lost)).toEqual([]);
      const unsent = (it: Story) => {
        it.disturb("kill", true, () => it.lose(ASK, "unsent"));
        store(it);
      };
      expect(found(unsent)).toEqual([expect.stringContaining("but only 0 requests")]);
    });
    test("of another client or token", () => {
      const change = (it: Story) => {
        it.findings.events = it.findings.events.map((event) => ({ ...event, key: "key_2" }));
      };
      expect(found(change)).toEqual(Array.from({ length: 2 }, () => expect.stringContaining("another client or key")));
      const rename = (it: Story) => {
        it.findings.events = it.findings.events.map((event) => ({ ...event, tokenId: `${event.tokenId}!` }));
      };
      expect(found(rename)).toEqual(Array.from({ length: 2 }, () => expect.stringContaining("in introspection")));
    });
    test("that pages and export show differently", () => {
      const change = (it: Story) => {
        const { paged } = it.findings;
        it.findings.paged = [...paged.slice(1), { ...EVENT, id: "event on a page" }, ...paged.slice(1)];
      };
      expect(found(change)).toEqual([
        "event on the pages event of last exists 2 times",
        "the event event of one is exported and on no page",
        "the event event on a page is on a page and not exported",
      ]);
    });
    test("that the store holds otherwise", () => {
      const change = (it: Story) => {
        const { stored } = it.findings;
        const [first = EVENT] = stored.events;
        it.findings.stored = {
          tokenIds: [...stored.tokenIds, "tok_one", "tok_bare"],
          events: [...stored.events, { ...first, tokenId: "tok_gone" }],
          undelivered: 3,
        };
      };
      expect(found(change)).toEqual([
        "stored token tok_one exists 2 times",
        "the stored token tok_bare has no stored event",
        "a stored event names tok_gone, which is not stored",
        "3 deliveries were left in outboxes",
      ]);
    });
  });

  describe("the server", () => {
    test("fails a request although nothing was done to it", () => {
      expect(told((it) => it.tell(ASK, 500))).toEqual(["server failed"]);
      expect(told((it) => it.lose(ASK, "cut_off"))).toEqual(["server failed"]);
      expect(told((it) => it.lose(ASK, "unsent"))).toEqual(["server failed"]);
      expect(told((it) => void it.begin(ASK))).toEqual(["server failed"]);
    });
    test("may fail what it was killed under, and not what it was asked to finish", () => {
      expect(told((it) => it.disturb("kill", true, () => it.tell(ASK, 500)))).toEqual([]);
      expect(told((it) => it.disturb("evict", false, () => it.tell(ASK, 500)))).toEqual(["server failed"]);
    });
    test("ends by itself", () => {
      const crash = (it: Story) => {
        it.findings.crashes = 1;
      };
      expect(told(crash)).toEqual(["server failed"]);
    });
    test("writes secrets", () => {
      const leak = (it: Story) => {
        it.findings.leaks = ["the server's log, line 1: an access token"];
      };
      expect(told(leak)).toEqual(["secret in logs"]);
    });
  });

  describe("refusals", () => {
    const refuse = (it: Story) => it.tell(ASK, 400, { refusal: "invalid_client: invalid JWT signature" });
    test("of what was valid", () => {
      expect(told(refuse)).toEqual(["valid request refused"]);
    });
    test("of what was presented before, or whose key was being revoked", () => {
      const second = (it: Story) => {
        it.disturb("kill", true, () => it.lose(ASK, "cut_off"));
        refuse(it);
      };
      expect(told(second)).toEqual([]);
      const it = story();
      const answer = it.begin(REVOKE_KEY);
      refuse(it);
      answer(200);
      expect(it.violations()).toEqual([]);
    });
    test("of a key for good", () => {
      const it = story();
      it.restart();
      expect(it.violations().map(({ rule }) => rule)).toEqual(["valid request refused"]);
    });
    test("are not judged one by one where a new key may be seen late", () => {
      const late = (it: Story) => {
        it.findings.seesChangesAtOnce = false;
        refuse(it);
      };
      expect(told(late)).toEqual([]);
    });
  });
});

describe("the search for secrets", () => {
  const TOKEN = `cst_us_0a${"t".repeat(43)}012345`;
  const SIGNATURE = "s".repeat(86);
  const PEM = `-----BEGIN PRIVATE KEY-----\n${"k".repeat(64)}\n-----END PRIVATE KEY-----`;
  const leaks = (line: string) => {
    const secrets = secretsToFind();
    secrets.token(TOKEN);
    secrets.assertion(`eyJh.eyJz.${SIGNATURE}`);
    secrets.privateKey(PEM);
    secrets.add("the session cookie", "a cookie's value");
    return secrets.leaksIn("log", ["harmless", line]);
  };

  test.each([
    ["a token", `{"token":"${TOKEN}"}`, "an access token"],
    ["a token nobody knows", `?t=cst_uk_ff${"u".repeat(43)}`, "the form of an access token"],
    ["a signature", `assertion ${SIGNATURE}`, "the signature of an assertion"],
    ["an assertion", `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.${"a".repeat(86)}`, "the form of a signed JWT"],
    ["a part of a private key", `${"k".repeat(64)}\\n`, "a private key"],
    ["a private key nobody knows", "-----BEGIN PRIVATE KEY-----", "the form of a private key"],
    ["anything else", "Cookie: x=a cookie's value; y", "the session cookie"],
  ])("finds %s and does not repeat it", (_, line, kind) => {
    const found = leaks(line);
    expect(found).toContain(`log, line 2: ${kind}`);
    expect(found.join()).not.toMatch(/tttt|ssss|kkkk|value/);
  });

  test("finds nothing in what is no secret", () => {
    expect(leaks(`{"tokenId":"tok_01KB","requestId":"01KB","kid":"${"f".repeat(43)}"}`)).toEqual([]);
  });
});
