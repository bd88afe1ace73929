import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Outcome } from "./connection.ts";
import { type AssertionDraft, correctAssertion, correctForm, signDraft } from "./draft.ts";
import { DESCRIPTIONS, invalidClient } from "./expectation.ts";
import { generate } from "./generate.ts";
import { wireExpectation } from "./interpretation.ts";
import { doubt, remember } from "./knowledge.ts";
import { minimize } from "./minimize.ts";
import { neverMet } from "./never-met.ts";
import { prng } from "./prng.ts";
import type { EndpointName } from "./reference.ts";
import { secrets } from "./secrets.ts";
import { fault } from "./verdict.ts";
import { encodeRequest, parseAnswer, type WireRequest } from "./wire.ts";
import type { KnownClient, World } from "./world.ts";

const HEADERS = { "cache-control": "no-store", "x-request-id": "01".repeat(13), "x-content-type-options": "nosniff" };
const TOKEN = `cst_us_ab${"x".repeat(43)}000000`;
const CLIENT = "client_1";
const GENERATED = 5_000;
const SUCCESS = { access_token: TOKEN, token_type: "Bearer", expires_in: 3600, scope: "x" };
const SIGNATURE_REFUSED = { error: "invalid_client", error_description: "invalid JWT signature" };

const world = invented();
const context = { prng: prng("test"), world };

describe("the judgement on an answer", () => {
  const right = tokenRequest(correctAssertion(context));
  const wrong = tokenRequest({ ...correctAssertion(context), header: { alg: "none" } });
  const faultOf = (request: WireRequest, outcome: Outcome) => fault(outcome, wireExpectation(request, world), world);

  test("is right when a right request succeeds and a wrong one is refused as it has to be", () => {
    expect(faultOf(right, answer(200, SUCCESS))).toBeUndefined();
    expect(faultOf(wrong, answer(400, SIGNATURE_REFUSED))).toBeUndefined();
  });

  test.each<[string, WireRequest, Outcome]>([
    ["success of a wrong request", wrong, answer(200, SUCCESS)],
    ["refusal of a right one", right, answer(400, SIGNATURE_REFUSED)],
    ["another description", wrong, answer(400, { ...SIGNATURE_REFUSED, error_description: "invalid client" })],
    ["another status", wrong, answer(401, SIGNATURE_REFUSED, { "www-authenticate": "Basic" })],
    ["a challenge where none belongs", wrong, answer(400, SIGNATURE_REFUSED, { "www-authenticate": "Basic" })],
    ["a further member", wrong, answer(400, { ...SIGNATURE_REFUSED, stack: "at x" })],
    ["another content type", wrong, answer(400, SIGNATURE_REFUSED, { "content-type": "text/html" })],
    ["an answer that may be cached", wrong, answer(400, SIGNATURE_REFUSED, { "cache-control": "public" })],
    ["an answer without request id", wrong, answer(400, SIGNATURE_REFUSED, { "x-request-id": "" })],
    ["a token response that lacks something", right, answer(200, { ...SUCCESS, expires_in: undefined })],
    ["500", right, answer(500, { error: "x" })],
    ["503 of a wrong request", wrong, answer(503, { error: "x" })],
    ["a closed connection", wrong, { kind: "closed", isKept: false }],
    ["a connection that was closed after other answers", wrong, { kind: "closed", isKept: true }],
    ["silence", right, { kind: "silence" }],
  ])("finds %s", (_, request, outcome) => {
    expect(faultOf(request, outcome)).toBeTypeOf("string");
  });

  test("takes an answer without content for one to HEAD, and for no other", () => {
    const headers = [...right.headers, ["x-mpx", "x".repeat(20_000)]] as const;
    const tooLarge: Outcome = {
      kind: "answer",
      answer: { status: 431, headers: new Map(Object.entries(HEADERS)), body: "" },
    };
    expect(faultOf({ ...right, method: "HEAD", headers }, tooLarge)).toBeUndefined();
    expect(faultOf({ ...right, headers }, tooLarge)).toBeTypeOf("string");
  });

  test.each([
    ["HEAD", "/", "/console/", true],
    ["GET", "/oauth2/..?x=1", "/console/", true],
    ["GET", "/", "//elsewhere.example/console/", false],
    ["POST", "/", "/console/", false],
    ["GET", "/oauth2/token", "/console/", false],
  ])("of %s %s, a redirect to %s is right: %s", (method, target, location, isRight) => {
    const redirect = answer(302, {}, { location });
    expect(faultOf({ ...right, method, target }, redirect) === undefined).toBe(isRight);
  });

  test("finds a jti that was accepted twice", () => {
    const request = tokenRequest(withClaim(correctAssertion(context), "jti", "one"));
    const { usedId = "" } = wireExpectation(request, world);
    world.usedIds.add(usedId);
    expect(faultOf(request, answer(200, SUCCESS))).toBeTypeOf("string");
    const replayed = { error: "invalid_client", error_description: "replayed JWT" };
    expect(faultOf(request, answer(400, replayed))).toBeUndefined();
  });

  test("takes a first use for a replay only when another one may have come before", () => {
    const request = tokenRequest(withClaim(correctAssertion(context), "jti", "contested"));
    const replayed = answer(400, { error: "invalid_client", error_description: "replayed JWT" });
    expect(faultOf(request, replayed)).toBeTypeOf("string");
    doubt(wireExpectation(request, world), world);
    expect(faultOf(request, replayed)).toBeUndefined();
    expect(faultOf(request, answer(400, SIGNATURE_REFUSED))).toBeTypeOf("string");
  });

  test("knows a token as active until its revocation, and not at all when that was not answered", () => {
    world.tokens.set(TOKEN, { clientId: CLIENT, isRevoked: false });
    const ask = (endpoint: "introspect" | "revoke") =>
      endpointRequest(withClaim(correctAssertion(context), "jti", undefined), endpoint, TOKEN);
    const isWrong = () =>
      [{ active: true }, { active: false }].map((body) => faultOf(ask("introspect"), answer(200, body)));
    expect(isWrong()).toEqual([undefined, expect.stringContaining("hides")]);
    doubt(wireExpectation(ask("revoke"), world), world);
    expect(isWrong()).toEqual([undefined, undefined]);
    remember({ body: "" }, wireExpectation(ask("revoke"), world), world);
    expect(isWrong()).toEqual([expect.stringContaining("shows"), undefined]);
    doubt(wireExpectation(ask("revoke"), world), world);
    expect(isWrong()).toEqual([expect.stringContaining("shows"), undefined]);
    expect(faultOf(ask("introspect"), answer(200, { active: false, exp: 1 }))).toBeTypeOf("string");
  });

  test.each([
    ["exp", 1, "expired JWT"],
    ["aud", ["https://us.example"], "invalid JWT audience"],
    ["sub", "client_x", "invalid client"],
    ["jti", "", "invalid JWT claims"],
  ])("wants %s %j refused as %s", (name, value, description) => {
    const request = tokenRequest(withClaim(correctAssertion(context), name, value));
    const { isValid, refusals } = wireExpectation(request, world);
    expect([isValid, [...refusals]]).toEqual([false, expect.arrayContaining([`400 invalid_client: ${description}`])]);
  });
});

describe("the generator", () => {
  test("makes right and wrong requests, the same ones from one seed", () => {
    const made = (seed: string) => {
      const choices = { prng: prng(seed), world };
      return Array.from({ length: 400 }, () => generate(choices, { tokens: [TOKEN], accepted: [] }).request);
    };
    const requests = made("seed");
    const valid = requests.filter((request) => wireExpectation(request, world).isValid);
    expect(valid.length).toBeGreaterThan(50);
    expect(requests.length - valid.length).toBeGreaterThan(100);
    expect(made("seed").map(({ method, target }) => method + target)).toEqual(
      requests.map(({ method, target }) => method + target),
    );
  });

  test("can be sent and judged, whatever was changed in it", () => {
    const choices = { prng: prng("many"), world };
    for (let i = 0; i < GENERATED; i++) {
      const { request } = generate(choices, { tokens: [TOKEN], accepted: [] });
      wireExpectation(request, world);
      encodeRequest(request, "us.example");
    }
  });
});

describe("a run", () => {
  const every = new Map<string, number>([
    ...["token 200", "introspect 200", "revoke 200"].map((outcome) => [outcome, 1] as const),
    ...DESCRIPTIONS.map((description) => [`token ${invalidClient(description)}`, 1] as const),
  ]);
  const without = (outcome: string) => new Map([...every].filter(([other]) => other !== outcome));

  test("that sent nothing, or only what is refused, is wrong", () => {
    expect(neverMet(new Map(), 1)).toEqual(["token 200", "introspect 200", "revoke 200"]);
    expect(neverMet(new Map([["token 400 invalid_request", 9_999]]), 120)).toHaveLength(3 + DESCRIPTIONS.length);
  });

  test("of a minute meets every refusal of an assertion, a shorter one each success", () => {
    expect(neverMet(every, 120)).toEqual([]);
    for (const outcome of every.keys()) {
      expect(neverMet(without(outcome), 60)).toHaveLength(1);
      expect(neverMet(without(outcome), 59)).toHaveLength(outcome.endsWith(" 200") ? 1 : 0);
    }
  });
});

describe("what the fuzz is made of", () => {
  test("a smaller request that fails as well is found", async () => {
    const headers = [
      ["A", "1"],
      ["B", "2"],
    ] as const;
    const request = { ...tokenRequest(correctAssertion(context)), headers, body: Buffer.from("a=1&bad=12345678&c=3") };
    const smallest = await minimize(request, async ({ body }) => body.includes("bad="));
    expect([smallest.headers, smallest.body.toString()]).toEqual([[], "bad="]);
  });

  test("secrets are found wherever they are in a line", () => {
    const known = secrets();
    const secret = "abcdefghijklmnopqrstuvwxyz0123456789";
    known.add(secret);
    known.addLiteral("a pass phrase");
    const clean = ["nothing", "requestId=01M7WNGHKRGCFC2D78T6X6MA4X", secret.slice(0, 20)];
    const leaking = [`x${secret}y`, `path=/${secret}/x`, "said a pass phrase", TOKEN, "-----BEGIN PRIVATE KEY-----"];
    expect(known.leaks([...clean, ...leaking])).toEqual(leaking);
  });

  test("requests and answers stand on the wire as HTTP says", () => {
    const request = { ...tokenRequest(correctAssertion(context)), body: Buffer.from("abcde"), headers: [] };
    const chunked = encodeRequest({ ...request, framing: { kind: "chunked", size: 3 } }, "h").toString();
    expect(chunked.split("\r\n\r\n")[1]).toBe("3\r\nabc\r\n2\r\nde\r\n0");
    const bytes = Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    expect(parseAnswer(bytes, "POST", false)).toMatchObject({
      state: "complete",
      answer: { status: 200, body: "abcde" },
    });
    expect(parseAnswer(bytes.subarray(0, -4), "POST", false)).toEqual({ state: "incomplete" });
  });
});

function invented(): World {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = [{ privateKey, publicKey, fingerprint: "f", isActive: true }];
  const client: KnownClient = { clientId: CLIENT, isDeleted: false, keys };
  return {
    issuer: "https://us.example",
    tokenEndpoint: "https://us.example/oauth2/token",
    clients: new Map([[client.clientId, client]]),
    privateLines: [],
    tokens: new Map(),
    usedIds: new Set(),
    contestedIds: new Set(),
    sentIds: new Set(),
  };
}

function withClaim(draft: AssertionDraft, name: string, value: unknown): AssertionDraft {
  return { ...draft, claims: { ...draft.claims, [name]: value } };
}

function tokenRequest(draft: AssertionDraft): WireRequest {
  return endpointRequest(draft, "token", "");
}

function endpointRequest(draft: AssertionDraft, endpoint: EndpointName, token: string): WireRequest {
  const pairs = correctForm(signDraft(draft), endpoint, token, context).map(([name, value]) => [name, value]);
  return {
    method: "POST",
    target: `/oauth2/${endpoint}`,
    headers: [["Content-Type", "application/x-www-form-urlencoded"]],
    body: Buffer.from(new URLSearchParams(pairs).toString()),
    framing: { kind: "length" },
  };
}

function answer(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Outcome {
  const all = new Map(Object.entries({ "content-type": "application/json", ...HEADERS, ...headers }));
  return { kind: "answer", answer: { status, headers: all, body: JSON.stringify(body) } };
}
