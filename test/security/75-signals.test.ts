import { generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { base64url, utf8 } from "../../lib/kernel/encoding.ts";
import { type Receiving, startReceiving } from "../signals/receiving.ts";
import { EVENTS, type EventFields, eventRequest } from "../support/transmitter.ts";

const DAY = 86_400;

describe("75. security events", () => {
  let it: Receiving;
  beforeAll(async () => {
    it = await startReceiving();
  });
  afterAll(() => it.stop());

  const iss_sub = (sub: string, iss = it.transmitter.issuer) => ({ format: "iss_sub", iss, sub });
  const revoked = (fields: Partial<EventFields> = {}): Promise<string> =>
    it.event({ type: EVENTS.sessionRevoked, subject: iss_sub("alice"), ...fields });
  const claims = (changed: Readonly<Record<string, unknown>>) => () => revoked({ claims: changed });
  const subject = (named: () => unknown) => () => revoked({ subject: named() });
  const unsigned = async (header: object): Promise<string> => {
    const [, payload] = (await revoked()).split(".");
    return `${base64url(utf8(JSON.stringify({ typ: "secevent+jwt", ...header })))}.${payload}.`;
  };
  const withSecret = async (): Promise<string> => {
    const [, payload = ""] = (await revoked()).split(".");
    // The published key, taken for a shared secret.
    const { d: _, ...published } = it.transmitter.key;
    return new SignJWT(JSON.parse(Buffer.from(payload, "base64url").toString()))
      .setProtectedHeader({ alg: "HS256", typ: "secevent+jwt", kid: "corp" })
      .sign(utf8(JSON.stringify(published)));
  };
  const forged = async (kid?: string): Promise<string> => {
    const [, payload = ""] = (await revoked()).split(".");
    const { privateKey } = await generateKeyPair("ES256");
    return new SignJWT(JSON.parse(Buffer.from(payload, "base64url").toString()))
      .setProtectedHeader({ alg: "ES256", typ: "secevent+jwt", ...(kid !== undefined && { kid }) })
      .sign(privateKey);
  };
  const changed = async (): Promise<string> => {
    const [header, , signature] = (await revoked()).split(".");
    const [, payload] = (await revoked({ subject: iss_sub("bob") })).split(".");
    return [header, payload, signature].join(".");
  };

  const REFUSED: readonly (readonly [what: string, token: () => Promise<string>, err: string])[] = [
    ["no token", async () => "hello", "invalid_request"],
    ["a token of more than 16 KiB", () => revoked({ content: { reason: "x".repeat(17_000) } }), "invalid_request"],
    ["no signature", () => unsigned({ alg: "none" }), "invalid_key"],
    ["a signature by a secret", withSecret, "invalid_key"],
    ["a signature by another key of the same name", () => forged("corp"), "invalid_key"],
    ["a signature by an unknown key", () => forged("other"), "invalid_key"],
    ["a signature of another event", changed, "invalid_key"],
    ["the type of an access token", () => revoked({ header: { typ: "at+jwt" } }), "invalid_request"],
    ["the type of an ID token", () => revoked({ header: { typ: undefined } }), "invalid_request"],
    ["another issuer", claims({ iss: "https://other.example" }), "invalid_issuer"],
    ["no issuer", claims({ iss: undefined }), "invalid_issuer"],
    ["another audience", claims({ aud: "https://other.example/signals" }), "invalid_audience"],
    ["no audience", claims({ aud: undefined }), "invalid_audience"],
    ["no jti", claims({ jti: undefined }), "invalid_request"],
    ["a jti that is no text", claims({ jti: 7 }), "invalid_request"],
    ["no iat", claims({ iat: undefined }), "invalid_request"],
    ["an age of more than 30 days", () => revoked({ at: it.now() - 31 * DAY }), "invalid_request"],
    ["an issue in the future", () => revoked({ at: it.now() + 120 }), "invalid_request"],
    ["an end in the past", () => revoked({ claims: { exp: it.now() - 120 } }), "invalid_request"],
    ["no event", claims({ events: {} }), "invalid_request"],
    ["an event that is no object", claims({ events: { [EVENTS.sessionRevoked]: "alice" } }), "invalid_request"],
    ["no subject", subject(() => undefined), "invalid_request"],
    ["a subject of another issuer", subject(() => iss_sub("alice", "https://other.example")), "invalid_request"],
    [
      "an e-mail address as subject",
      subject(() => ({ format: "email", email: "alice@corp.example" })),
      "invalid_request",
    ],
    ["a session alone as subject", subject(() => ({ format: "complex", session: iss_sub("s") })), "invalid_request"],
    [
      "a complex subject in a complex one",
      subject(() => ({ format: "complex", user: { format: "complex", user: iss_sub("alice") } })),
      "invalid_request",
    ],
    ["a subject with an endless name", subject(() => iss_sub("a".repeat(513))), "invalid_request"],
  ];

  test.each(REFUSED)("75. %s is refused, ends nothing and is recorded", async (_, token, err) => {
    const answer = await it.push(await token());
    expect([answer.status, await answer.json()]).toEqual([400, { err, description: expect.any(String) }]);
    expect(await it.stops()).toEqual([]);
    expect(await it.records("signal.refused")).toContainEqual(
      expect.objectContaining({ reason: err, actor: "signal:corp", details: { connector: "corp", error: err } }),
    );
    expect(await it.records("signal.received")).toEqual([]);
  });

  test("75. another media type, another method and another connector are refused", async () => {
    const token = await revoked();
    const json = await it.push(token, { "Content-Type": "application/json" });
    expect([json.status, await json.json()]).toMatchObject([400, { err: "invalid_request" }]);
    expect((await it.product.send("/signals/corp")).status).toBe(405);
    for (const name of ["other", "CORP", "corp/"])
      expect((await it.product.send(`/signals/${name}`, eventRequest(token))).status).toBe(404);
    expect(await it.stops()).toEqual([]);
  });

  test("75. a flood of one address is answered 429, and is nothing to others", async () => {
    const flood = await Promise.all(Array.from({ length: 220 }, () => it.push("hello", {}, "198.51.100.7")));
    const statuses = flood.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([400, 429]));
    expect(statuses.filter((status) => status === 400)).toHaveLength(200);
    expect((await it.push(await revoked({ type: EVENTS.assuranceChange }), {}, "198.51.100.8")).status).toBe(202);
  });

  test("75. strangers who name unknown keys have no event refused for good", async () => {
    const statuses: number[] = [];
    for (let sent = 0; sent < 25; sent++) statuses.push((await it.push(await forged(`key-${sent}`))).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([400, 503]);
    it.product.clock.set(it.product.clock.now() + 10_000);
    expect((await it.push(await forged("later"))).status).toBe(400);
  });

  test("75. an event that is sent again is accepted and does nothing, whatever came in between", async () => {
    const disabled = await it.event({ type: EVENTS.accountDisabled }, "carol");
    expect((await it.push(disabled)).status).toBe(202);
    it.product.clock.set(it.product.clock.now() + 10_000);
    expect((await it.pushed({ type: EVENTS.accountEnabled }, "carol")).status).toBe(202);
    const before = await it.stops();
    expect(before).toMatchObject([{ target: { id: "carol" }, state: "ended" }]);
    const records = (await it.records("signal.received")).length;
    expect((await it.push(disabled)).status).toBe(202);
    expect(await it.stops()).toEqual(before);
    expect(await it.records("signal.received")).toHaveLength(records);
  });

  test("75. an event of the future ends what began by now, and nothing that begins later", async () => {
    const content = { event_timestamp: it.now() + 10 * DAY };
    expect(await it.pushed({ type: EVENTS.sessionRevoked, content }, "dave")).toEqual({ status: 202 });
    const stop = (await it.stops()).find(({ target }) => target.id === "dave");
    expect(stop).toMatchObject({ state: "ended", at: it.product.clock.now() });
  });
});

describe("75. a transmitter with a bearer token", () => {
  let it: Receiving;
  beforeAll(async () => {
    it = await startReceiving({ signals: { token: "the-agreed-token" } });
  });
  afterAll(() => it.stop());

  test("75. an event without the agreed token is refused, although it is signed", async () => {
    const token = await it.event({ type: EVENTS.accountDisabled }, "alice");
    for (const authorization of [undefined, "Bearer another", "Basic the-agreed-token"]) {
      const answer = await it.push(token, authorization === undefined ? {} : { authorization });
      expect([answer.status, await answer.json()]).toMatchObject([400, { err: "authentication_failed" }]);
    }
    expect(await it.stops()).toEqual([]);
    expect((await it.push(token, { Authorization: "Bearer the-agreed-token" })).status).toBe(202);
    expect(await it.stops()).toMatchObject([{ state: "suspended" }]);
  });
});
