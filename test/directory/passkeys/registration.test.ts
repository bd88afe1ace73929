import { afterEach, beforeEach, expect, test } from "vitest";
import { base64url } from "../../../lib/kernel/encoding.ts";
import { CONSOLE } from "../../support/configuration.ts";
import type { ConsoleBrowser } from "../../support/console-browser.ts";
import { type InProcess, ISSUER, START, startInProcess } from "../../support/in-process.ts";
import { type Ceremony, type CreationOptions, createAuthenticator } from "../../support/passkey.ts";
import { addPasskey, browserOf, signedIn } from "./person.ts";

const PAGE = { origin: ISSUER };

let product: InProcess;
let owner: ConsoleBrowser;
beforeEach(async () => {
  product = await startInProcess({ configuration: { console: { ...CONSOLE, enabled: true, baseURL: ISSUER } } });
  owner = await signedIn(product);
});
afterEach(() => product.close());

async function optionsOf(browser: ConsoleBrowser): Promise<CreationOptions> {
  return (await browser.call("POST", "/passkeys/options", {})).body as unknown as CreationOptions;
}

/** Registers with an authenticator that does what the ceremony says. */
async function register(browser: ConsoleBrowser, ceremony: Ceremony, more: object = {}) {
  const response = await (await createAuthenticator()).register(await optionsOf(browser), ceremony);
  return browser.call("POST", "/passkeys", { response, ...more });
}

test("the options ask for a passkey that is kept by the device and checks who uses it", async () => {
  const { status, body, headers } = await owner.call("POST", "/passkeys/options");
  expect(status).toBe(200);
  expect(headers.get("Cache-Control")).toBe("no-store");
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-countersign-passkey=[\w-]{43}; Max-Age=300; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    ),
  ]);
  expect(body).toEqual({
    rp: { id: "us.example", name: "Countersign" },
    user: { id: expect.any(String), name: "owner@example.com", displayName: "owner@example.com" },
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
    timeout: 300_000,
    excludeCredentials: [],
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  });
});

test("a passkey is kept, listed, and not offered to be made again by the same device", async () => {
  const { status, body } = await register(owner, PAGE, { name: "  Laptop " });
  const passkey = { passkeyId: body.passkeyId, name: "Laptop", createdAt: new Date(START).toISOString() };
  expect([status, body]).toEqual([201, { ...passkey, isBackedUp: false }]);
  expect((await owner.call("GET", "/passkeys")).body).toEqual({ items: [{ ...passkey, isBackedUp: false }] });
  expect(await optionsOf(owner)).toMatchObject({
    excludeCredentials: [{ type: "public-key", id: body.passkeyId, transports: ["internal", "hybrid"] }],
  });
  expect((await register(owner, PAGE)).body).toMatchObject({ name: "Passkey" });
});

test("adding and removing are recorded, in every organization of the person", async () => {
  const { body: second } = await owner.call("POST", "/organizations", { name: "Second" });
  const { credentialId } = await addPasskey(owner, PAGE, "Laptop");
  await addPasskey(owner, PAGE);
  product.clock.set(START + 1);
  expect((await owner.call("DELETE", `/passkeys/${credentialId}`)).status).toBe(204);
  const first = (await product.dependencies.stores.directory.firstOrganization())?.organizationId as string;
  for (const organizationId of [first, second.organizationId as string]) {
    const { items } = await product.dependencies.stores.auditLog.query({ organizationId }, { limit: 10 });
    const records = items.filter(({ type }) => type.startsWith("passkey."));
    expect(records.map(({ type }) => type)).toEqual(["passkey.removed", "passkey.added", "passkey.added"]);
    expect(records[0]).toMatchObject({ details: { passkeyId: credentialId, name: "Laptop" } });
  }
});

test("a passkey may say by its own key how it was made", async () => {
  expect((await register(owner, { ...PAGE, attestation: "self" })).status).toBe(201);
});

test("the last way to sign in stays, and the refusal says what to add first", async () => {
  const only = await addPasskey(owner, PAGE);
  const { status, body } = await owner.call("DELETE", `/passkeys/${only.credentialId}`);
  expect([status, body.detail]).toEqual([409, "This is your last way to sign in: first add another passkey."]);
  expect((await owner.call("DELETE", "/passkeys/bm9uZQ")).status).toBe(404);
});

test.each<[string, Ceremony]>([
  ["another origin", { origin: "https://us.example.evil.example" }],
  ["another site's authenticator data", { ...PAGE, rpId: "evil.example" }],
  ["a device that did not check who uses it", { ...PAGE, isVerified: false }],
  ["a frame on another site's page", { ...PAGE, clientData: { crossOrigin: true } }],
  ["another kind of ceremony", { ...PAGE, clientData: { type: "webauthn.get" } }],
  [
    "an attestation by certificates",
    { ...PAGE, attestation: { format: "packed", statement: { x5c: [new Uint8Array(4)] } } },
  ],
  ["a kind of attestation that was not asked for", { ...PAGE, attestation: { format: "apple", statement: {} } }],
])("33. a passkey from %s is not kept", async (_, ceremony) => {
  const { status, body } = await register(owner, ceremony);
  expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer: "/response" })]]);
  expect((await owner.call("GET", "/passkeys")).body).toEqual({ items: [] });
});

test.each<[string, readonly number[]]>([
  ["nested without end", Array.from({ length: 24_000 }, () => 0x81)],
  ["longer than it is", [0x9b, 0x7f, ...Array.from({ length: 7 }, () => 0xff)]],
  ["a map with a text that is longer than it is", [0xa3, 0x7a, 0xff, 0xff, 0xff, 0xff]],
  ["an array where a map should be", [0x80]],
])("33. an attestation that is %s is refused like any other", async (_, bytes) => {
  const answer = await (await createAuthenticator()).register(await optionsOf(owner), PAGE);
  const response = { ...answer, response: { ...answer.response, attestationObject: base64url(new Uint8Array(bytes)) } };
  expect((await owner.call("POST", "/passkeys", { response })).status).toBe(422);
});

test("33. a challenge is answered once, in time, in its session and its browser", async () => {
  const authenticator = await createAuthenticator();
  const response = await authenticator.register(await optionsOf(owner), PAGE);
  const post = async (browser: ConsoleBrowser, answer: object) =>
    (await browser.call("POST", "/passkeys", { response: answer })).status;
  expect(await post(owner, response)).toBe(201);
  expect(await post(owner, response)).toBe(422);

  const other = await signedIn(product);
  const stolen = await (await createAuthenticator()).register(await optionsOf(owner), PAGE);
  other.cookies.set("__Host-countersign-passkey", owner.cookies.get("__Host-countersign-passkey") as string);
  expect(await post(other, stolen)).toBe(422);

  const cookieless = await (await createAuthenticator()).register(await optionsOf(owner), PAGE);
  owner.cookies.delete("__Host-countersign-passkey");
  expect(await post(owner, cookieless)).toBe(422);

  const late = await (await createAuthenticator()).register(await optionsOf(owner), PAGE);
  product.clock.set(START + 300_000);
  expect(await post(owner, late)).toBe(422);
});

test("33. a challenge of a sign-in makes no passkey", async () => {
  const options = await optionsOf(owner);
  const { challenge } = (await owner.call("POST", "/sign-in/passkey/options")).body as { challenge: string };
  const response = await (await createAuthenticator()).register({ ...options, challenge }, PAGE);
  expect((await owner.call("POST", "/passkeys", { response })).status).toBe(422);
});

test("a passkey that is known is a conflict, and so is one too many", async () => {
  const authenticator = await addPasskey(owner, PAGE);
  const again = await authenticator.register(await optionsOf(owner), PAGE);
  expect((await owner.call("POST", "/passkeys", { response: again })).status).toBe(409);
  for (let count = 1; count < 20; count++) await addPasskey(owner, PAGE);
  const { status, body } = await owner.call("POST", "/passkeys/options");
  expect([status, body.detail]).toEqual([409, "You have 20 passkeys, which is the most: remove one first."]);
});

test("what is no credential is refused field by field", async () => {
  const pointers = async (body: object) => {
    const answer = await owner.call("POST", "/passkeys", body);
    return [answer.status, (answer.body.errors as { pointer: string }[]).map(({ pointer }) => pointer)];
  };
  expect(await pointers({})).toEqual([422, ["/response"]]);
  expect(await pointers({ response: { id: "a=", type: "password", response: {} }, name: " " })).toEqual([
    422,
    ["/name", "/response/type", "/response/id", "/response/response/clientDataJSON"],
  ]);
  const credential = { id: "AAAA", type: "public-key" };
  expect(await pointers({ response: { ...credential, response: { clientDataJSON: "AAAA" } } })).toEqual([
    422,
    ["/response/response/clientDataJSON"],
  ]);
});

test("nobody makes passkeys who is not signed in, and API clients have none", async () => {
  for (const [method, path] of [
    ["POST", "/passkeys/options"],
    ["POST", "/passkeys"],
    ["GET", "/passkeys"],
  ] as const) {
    expect((await browserOf(product).call(method, path, method === "POST" ? {} : undefined)).status).toBe(401);
  }
});
