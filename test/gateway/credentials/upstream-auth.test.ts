import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { explainCall } from "../../../lib/gateway/explain/explain-call.ts";
import { rpc, textOf } from "../../behaviour/gateway-fixture.ts";
import { DOCUMENT, type EchoingApi, echoApp, startEchoingApi } from "./echoing-api.ts";
import { OUTBOUND, withOwnExchange } from "./own-exchange.ts";

const SECRETS = { S_KEY: "key hunter2/+", S_TOKEN: "token-hunter2", S_PASSWORD: "päss:hunter2" };
const VALUE = { value: "<key>" };
const PAIR = { username: "me", password: "<password>" };

const it = withOwnExchange({ outbound: { type: "unprotected" } });
let api: EchoingApi;
beforeAll(async () => {
  api = await startEchoingApi();
});
afterEach(() => api.answerWith(200));
afterAll(() => api.stop());

/** As some libraries write JSON, who escape all that HTML or ASCII has no room for. */
function escapedJson(secret: string): string {
  const escaped = secret.replaceAll(/[^A-Za-z0-9]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `{"k":"${escaped}"}`;
}

/** What arrives of a call, and what the agent is told. */
async function called(tool: string, auth: object, { given = {}, isExchanged = false, document = DOCUMENT } = {}) {
  const app = await echoApp(api.url, { auth }, SECRETS, document);
  await it.restart({ apps: [{ ...app, ...(isExchanged && { outbound: OUTBOUND }) }] });
  const { result } = await rpc(await it.gateway.call(tool, given, (await it.token()).text));
  const { url = "", headers = {} } = api.requests.at(-1) ?? {};
  const { authorization, cookie, "x-api-key": apiKey } = headers;
  return { url, authorization, cookie, apiKey, result };
}

describe("a call carries the credential of its operation's scheme:", () => {
  test.each([
    ["an API key in a header", "inHeader", { inHeader: VALUE }, { apiKey: "key hunter2/+" }],
    ["an API key in the query", "inQuery", { inQuery: VALUE }, { url: "/inQuery?api_key=key%20hunter2%2F%2B" }],
    ["an API key in a cookie", "inCookie", { inCookie: VALUE }, { cookie: "session=key%20hunter2%2F%2B" }],
    [
      "HTTP Basic, in UTF-8",
      "basic",
      { basic: PAIR },
      { authorization: `Basic ${Buffer.from("me:päss:hunter2").toString("base64")}` },
    ],
    [
      "HTTP Basic without a password",
      "basic",
      { basic: { username: "me", password: "" } },
      { authorization: "Basic bWU6" },
    ],
    ["a bearer token", "bearer", { bearer: { value: "<token>" } }, { authorization: "Bearer token-hunter2" }],
    ["a token of OAuth 2.0", "oauth", { oauth: { value: "<token>" } }, { authorization: "Bearer token-hunter2" }],
    [
      "a token of OpenID Connect",
      "openId",
      { openId: { value: "<token>" } },
      { authorization: "Bearer token-hunter2" },
    ],
    ["that of the whole document", "byDefault", { inHeader: VALUE }, { apiKey: "key hunter2/+" }],
    [
      "the first alternative that there is",
      "either",
      { inQuery: VALUE },
      { url: "/either?api_key=key%20hunter2%2F%2B" },
    ],
    [
      "both of one alternative",
      "both",
      { inQuery: VALUE, inCookie: { value: "<token>" } },
      { url: "/both?api_key=key%20hunter2%2F%2B", cookie: "session=token-hunter2" },
    ],
    ["one that is optional", "optional", { inQuery: VALUE }, { url: "/optional?api_key=key%20hunter2%2F%2B" }],
    [
      "that beside a certificate, which is the connection's",
      "certificate",
      { inQuery: VALUE },
      { url: "/certificate?api_key=key%20hunter2%2F%2B" },
    ],
  ])("%s", async (_, tool, auth, expected) => {
    const nothing = { url: `/${tool === "byDefault" ? "default" : tool}`, authorization: undefined, cookie: undefined };
    const { result, ...sent } = await called(tool, auth);
    expect(result?.isError).toBeUndefined();
    expect(sent).toEqual({ ...nothing, apiKey: undefined, ...expected });
  });

  test.each([
    ["asks for none", "open", { inHeader: VALUE, inQuery: VALUE }],
    ["asks for another", "basic", { inHeader: VALUE }],
    ["asks for more than there is", "both", { inQuery: VALUE }],
  ])("none where the operation %s", async (_, tool, auth) => {
    const { url, authorization, cookie, apiKey } = await called(tool, auth);
    expect({ url, authorization, cookie, apiKey }).toEqual({ url: `/${tool}` });
  });

  test("that which is configured where the document forgets to ask for any", async () => {
    const { security: _, ...document } = DOCUMENT;
    expect(
      (await called("byDefault", { bearer: { value: "<token>" } }, { document: document as never })).authorization,
    ).toBe("Bearer token-hunter2");
  });
});

describe("with an exchanged token", () => {
  const isExchanged = true;

  test.each(["bearer", "oauth", "openId"])("%s is met by it", async (tool) => {
    const { authorization } = await called(tool, { [tool]: { value: "<token>" } }, { isExchanged });
    expect(authorization).toMatch(/^Bearer ey/);
  });

  test("an API key goes beside it, and Authorization is the token's alone", async () => {
    const keyed = await called("inHeader", { inHeader: VALUE }, { isExchanged });
    expect(keyed).toMatchObject({ apiKey: "key hunter2/+", authorization: expect.stringMatching(/^Bearer ey/) });
    const basic = await called("basic", { basic: PAIR }, { isExchanged });
    expect(basic.authorization).toMatch(/^Bearer ey/);
  });
});

describe("24. an API key that is configured is not the agent's:", () => {
  const auth = { inHeader: VALUE, inQuery: VALUE };

  test("operations that declare it as a parameter do not ask for it, and carry ours", async () => {
    const { url, apiKey, result } = await called("declared", auth);
    expect(result?.isError).toBeUndefined();
    expect({ url, apiKey }).toEqual({ url: "/declared?api_key=key%20hunter2%2F%2B", apiKey: "key hunter2/+" });
    const refused = await called("declared", auth, { given: { api_key: "mine" } as never });
    expect(textOf(refused)).toContain("Invalid arguments");
  });

  test("no argument makes another of the same name", async () => {
    const given = { filter: { a: "b c" } } as never;
    expect((await called("declared", auth, { given })).url).toBe("/declared?a=b%20c&api_key=key%20hunter2%2F%2B");
    for (const name of ["api_key", "API_key", "api_key[]"]) {
      const refused = await called("declared", auth, { given: { filter: { [name]: "mine" } } as never });
      expect(textOf(refused)).toContain("Invalid arguments");
      expect(textOf(refused)).toContain("filter: must not have");
    }
  });

  test("a cookie of ours stands beside the agent's", async () => {
    const { cookie } = await called(
      "cookies",
      { inCookie: { value: "<token>" } },
      { given: { theme: "dark" } as never },
    );
    expect(cookie).toBe("theme=dark; session=token-hunter2");
  });

  test("one that is not configured is asked of the agent", async () => {
    const { url } = await called("declared", {}, { given: { api_key: "mine" } as never });
    expect(url).toBe("/declared?api_key=mine");
  });
});

describe("10. a credential is seen by the API alone:", () => {
  const everything = { inHeader: VALUE, inQuery: VALUE, inCookie: { value: "<token>" }, basic: PAIR };
  const shown = /hunter2|bWU6cM/;

  test.each(["inHeader", "inQuery", "inCookie", "basic", "both", "declared"])(
    "not in the log, the record or the result of %s, whose API repeats it",
    async (tool) => {
      const { result } = await called(tool, everything);
      expect(JSON.stringify(result)).toContain("[redacted]");
      expect(JSON.stringify(result)).not.toMatch(shown);
      expect(it.gateway.logs.join("\n")).not.toMatch(shown);
      const { stores } = it.gateway.dependencies;
      const organizationId = (await stores.directory.firstOrganization())?.organizationId;
      const records = await stores.auditLog.query({ organizationId, type: "tool.invoked" }, { limit: 9 });
      expect(records.items).toHaveLength(1);
      expect(JSON.stringify(records)).not.toMatch(shown);
    },
  );

  test.each([
    ["in JSON with an escape for each character that may have one", "application/json", escapedJson],
    ["as a name in JSON", "application/json", (secret: string) => JSON.stringify({ [secret]: 1 })],
    ["in an image", "image/png", (secret: string) => `\u0089PNG ${secret}`],
    ["in bytes", "application/octet-stream", (secret: string) => `\u0000${secret}`],
  ])("not %s", async (_, contentType, write) => {
    api.answerWith(200, { contentType, body: write(SECRETS.S_PASSWORD) });
    const { result } = await called("basic", everything);
    expect(JSON.stringify(result)).toContain("[redacted]");
    expect(JSON.stringify(result)).not.toMatch(/hunter2|h1bnRlcj|odW50ZXIy|aHVudGVy/);
  });

  test("an exchanged token neither", async () => {
    const { authorization = "", result } = await called("bearer", {}, { isExchanged: true });
    expect(authorization).toMatch(/^Bearer ey/);
    expect(JSON.stringify(result)).toContain("Bearer [redacted]");
    expect(JSON.stringify(result)).not.toContain(authorization.slice("Bearer ".length));
  });

  test("an API that refuses it is said to refuse the gateway's, not the agent's", async () => {
    api.answerWith(401);
    const { result } = await called("inQuery", everything);
    expect(result?.isError).toBe(true);
    expect(JSON.stringify(result)).toContain("The API refused the credential that the gateway is configured with.");
    expect(JSON.stringify(result)).not.toMatch(shown);
  });
});

test("a credential whose secret has changed is carried from the next configuration on", async () => {
  const app = async (key: string) => echoApp(api.url, { auth: { inHeader: VALUE } }, { S_KEY: key });
  let revision = 1;
  let apps = [await app("former")];
  await it.restart({
    adapt: (dependencies) => {
      const { configuration } = dependencies.configuration();
      return { ...dependencies, configuration: () => ({ revision, configuration: { ...configuration, apps } }) };
    },
  });
  const { text } = await it.token();
  const carried = async () => {
    await rpc(await it.gateway.call("inHeader", {}, text));
    return api.requests.at(-1)?.headers["x-api-key"];
  };
  expect(await carried()).toBe("former");
  [revision, apps] = [2, [await app("renewed")]];
  expect(await carried()).toBe("renewed");
});

test("`explain` names the schemes whose credentials a call would carry", async () => {
  await it.restart({ apps: [await echoApp(api.url, { auth: { inQuery: VALUE, inCookie: VALUE } }, SECRETS)] });
  const { configuration, clock } = { ...it.gateway.dependencies, ...it.gateway.dependencies.configuration() };
  const explained = async (tool: string) => {
    const call = { tool, claims: { sub: "a", client_id: "b" }, arguments: {} };
    const { steps } = await explainCall(call, configuration, { fetch: globalThis.fetch, clock });
    return steps.find(({ step }) => step === "credential")?.why;
  };
  expect(await explained("both")).toBe("that of upstream.auth for inQuery and inCookie");
  expect(await explained("open")).toBe("calls carry none");
});
