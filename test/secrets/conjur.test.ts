import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openConjur } from "../../lib/secrets/conjur/open.ts";
import type { SecretSources } from "../../lib/secrets/provider.ts";
import { createAuthority } from "../support/certificates.ts";
import { type ConjurServer, startConjur } from "./servers/conjur.ts";
import { failureOf } from "./servers/failure.ts";
import { loopbackFetch } from "./servers/loopback-fetch.ts";
import { movableClock } from "./servers/movable-clock.ts";
import { json, onceOn } from "./servers/vendor-server.ts";

const HOST = "conjur.example.com";
const KEY = "canary-api+key/1=";
const SECRET = "canary-secret-value";
const URL_OF_HOST = `conjur://${HOST}/org/host%2Fapps%2Fcountersign?apikey=${encodeURIComponent(KEY)}`;

const authority = createAuthority();
const clock = movableClock();
let conjur: ConjurServer;
let sources: SecretSources;

beforeAll(async () => {
  const content = {
    account: "org",
    apiKeys: { "host/apps/countersign": KEY },
    variables: {
      "billing/password": SECRET,
      "team/billing/db.password": "deep",
      flat: "on its own",
      "billing/empty": "",
      "billing/unset": undefined,
      "billing/pem": "-----BEGIN\nüñ\n",
      "billing/denied": SECRET,
    },
    denied: ["billing/denied"],
  };
  conjur = await startConjur(content, authority.issue({ names: [HOST] }), clock);
  const fetch = loopbackFetch({ [HOST]: conjur.port }, authority.cert);
  sources = { fetch, openFetch: undefined, clock, environment: {} };
});

beforeEach(() => {
  conjur.before = undefined;
});

afterAll(() => conjur.close());

const asked = async (work: () => Promise<unknown>) => {
  const before = conjur.asked.length;
  await work();
  return conjur.asked.slice(before);
};
const fails = (reference: string, url = URL_OF_HOST, using = sources) =>
  failureOf(() => openConjur(url, using).get(reference), [KEY, SECRET]);

describe("reading", () => {
  test.each([
    ["billing.password", SECRET],
    ["team/billing.db.password", "deep"],
    ["flat", "on its own"],
    ["billing.pem", "-----BEGIN\nüñ\n"],
  ])("<%s> is the variable whose first dot is a slash", async (reference, value) => {
    expect(await openConjur(URL_OF_HOST, sources).get(reference)).toBe(value);
  });

  test("many secrets take one token, until it is nearly at its end", async () => {
    const provider = openConjur(URL_OF_HOST, sources);
    const first = await asked(() => Promise.all([provider.get("billing.password"), provider.get("flat")]));
    expect(first.sort()).toEqual([
      "GET /secrets/org/variable/billing%2Fpassword",
      "GET /secrets/org/variable/flat",
      "POST /authn/org/host%2Fapps%2Fcountersign/authenticate",
    ]);
    clock.advance(7 * 60_000);
    expect(await asked(() => provider.get("flat"))).toEqual(["GET /secrets/org/variable/flat"]);
    clock.advance(30_000);
    expect(await asked(() => provider.get("flat"))).toEqual([
      "POST /authn/org/host%2Fapps%2Fcountersign/authenticate",
      "GET /secrets/org/variable/flat",
    ]);
  });

  test("a token that the server ended early is replaced by another", async () => {
    const provider = openConjur(URL_OF_HOST, sources);
    await provider.get("flat");
    conjur.endTokens();
    expect(await provider.get("flat")).toBe("on its own");
  });
});

describe("an answer without a secret", () => {
  test.each([
    ["billing.missing", "there is no such variable, it has no value, or the login may not see it: status 404"],
    ["billing.unset", "there is no such variable, it has no value, or the login may not see it: status 404"],
    ["billing.empty", "it is empty"],
    ["billing.denied", "the login may not read it: status 403"],
  ])("<%s> is told with its reason", async (reference, reason) => {
    expect(await fails(reference)).toBe(`conjur has not given the secret <${reference}>: ${reason}`);
  });

  test("a wrong API key or login is a failure to sign in", async () => {
    const reason = "signing in to conjur failed: the account, the login or the API key is not valid: status 401";
    expect(await fails("flat", URL_OF_HOST.replace("apikey=", "apikey=x"))).toBe(reason);
    expect(await fails("flat", URL_OF_HOST.replace("countersign?", "other?"))).toBe(reason);
  });

  test("an answer that is no token is none", async () => {
    for (const body of ["<html>", "[]", JSON.stringify({ payload: "x".repeat(200_000) })]) {
      conjur.before = () => new Response(body);
      expect(await fails("flat")).toBe("signing in to conjur failed: its answer has no access token");
    }
  });

  test("bytes that are no text are told, and not turned into another secret", async () => {
    conjur.before = ({ path }) =>
      path.startsWith("/secrets/") ? new Response(Uint8Array.of(0x68, 0xff, 0x69)) : undefined;
    expect(await fails("flat")).toBe("conjur has not given the secret <flat>: it is no text in UTF-8");
  });

  test("a redirect is not followed", async () => {
    conjur.before = () => new Response(null, { status: 302, headers: { Location: "https://elsewhere.example/" } });
    expect(await fails("flat")).toBe("signing in to conjur failed: status 302");
  });

  test("a throttled request is sent again after a while, and at last told", async () => {
    const provider = openConjur(URL_OF_HOST, sources);
    onceOn(conjur, "/secrets/", json(429, {}, { "Retry-After": "0" }));
    expect(await provider.get("flat")).toBe("on its own");
    conjur.before = () => json(429, {}, { "Retry-After": "0" });
    expect(await failureOf(() => provider.get("flat"), [KEY])).toBe(
      "conjur has not given the secret <flat>: status 429",
    );
  });

  test("no answer in time is told with the time", async () => {
    conjur.before = () => new Promise<Response>(() => undefined);
    expect(await fails("flat", URL_OF_HOST, { ...sources, timeout: 100 })).toBe(
      "signing in to conjur failed: no answer within 0.1 s",
    );
  });

  test("a server that is not there, or that nobody vouches for, is told", async () => {
    const nowhere = { ...sources, fetch: loopbackFetch({}, authority.cert) };
    expect(await fails("flat", URL_OF_HOST, nowhere)).toMatch(/^signing in to conjur failed: the connection failed/);
    const distrusting = loopbackFetch({ [HOST]: conjur.port }, createAuthority("Other").cert);
    expect(await fails("flat", URL_OF_HOST, { ...sources, fetch: distrusting })).toMatch(
      /^signing in to conjur failed: the connection failed \([A-Z_]+\)$/,
    );
  });
});

describe("a URL that is not as documented", () => {
  const example = "conjur://conjur.example.com/ACCOUNT/host%2Fcountersign?apikey=KEY";
  const segments =
    "needs two segments in its path, the account and the login with %2F for /, for example conjur://conjur.example.com/ACCOUNT/host%2Fcountersign?apikey=KEY.";
  test.each([
    ["conjur:///org/login?apikey=canary-key", `needs a host, for example ${example}.`],
    ["conjur://h.example?apikey=canary-key", segments],
    ["conjur://h.example/org?apikey=canary-key", segments],
    ["conjur://h.example/org/host/app?apikey=canary-key", segments],
    ["conjur://h.example/org/login", `needs the parameter apikey, for example ${example}.`],
    ["conjur://h.example/org/login?apikey=", `needs a value for the parameter apikey, for example ${example}.`],
    [
      "conjur://h.example/org/login?apikey=a&apikey=canary-key",
      `takes the parameter apikey once, for example ${example}.`,
    ],
    ["conjur://h.example/org/login?apiKey=canary-key", "has the unknown parameter apiKey; accepted: apikey."],
    [
      "conjur://user:canary-key@h.example/org/login?apikey=a",
      `takes no user name or password before its host, for example ${example}.`,
    ],
    ["conjur://1.2.3.4.5/org/login?apikey=canary-key", `needs a host, for example ${example}.`],
  ])("%s is refused", async (url, what) => {
    expect(await failureOf(() => openConjur(url, sources), ["canary-key"])).toBe(`The secret provider conjur ${what}`);
  });
});
