import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorkplace, type Workplace } from "./countersign.ts";

let at: Workplace;
let server: { stop(): Promise<void> };
beforeAll(async () => {
  at = await createWorkplace();
  server = await at.serve();
});
afterAll(async () => {
  await server?.stop();
  at?.remove();
});

test("owner prints a link that makes an owner of whoever opens it first, while the server runs", async () => {
  const run = await at.countersign("owner", "-email", "Ada@Example.com");
  expect(run.code).toBe(0);
  const link = new URL(run.stdout.trim());
  expect(link.href).toMatch(/\/console\/sign-in#token=[\w-]{43}$/);
  expect(link.origin).toBe(at.url);
  const token = link.hash.replace("#token=", "");
  expect(run.stderr).not.toContain(token);
  expect(run.stderr).toContain("signs ada@example.com in once");

  const first = await signIn(token);
  expect(first.status).toBe(200);
  expect(await first.json()).toMatchObject({
    email: "ada@example.com",
    organizations: [{ name: "Default organization", role: "owner" }],
  });
  expect((await signIn(token)).status).toBe(403);
});

test("owner makes another link for the same person and none for a stranger", async () => {
  const again = await at.here("owner", "-email", "ada@example.com");
  expect((await signIn(new URL(again.stdout.trim()).hash.replace("#token=", ""))).status).toBe(200);
  const stranger = await at.countersign("owner", "-email", "eve@example.com");
  expect(stranger).toMatchObject({ code: 4, stdout: "" });
  expect(stranger.stderr).toBe("This instance has an owner, and eve@example.com is nobody it knows.\n");
});

test("49. owner names the ids of several people with one address, and takes one by id", async () => {
  const link = await at.here("owner", "-email", "ada@example.com");
  const cookie = (await signIn(new URL(link.stdout.trim()).hash.replace("#token=", ""))).headers.getSetCookie()[0];
  const post = async (path: string, body: object, headers = {}) => {
    const json = { "Content-Type": "application/json", ...headers };
    return (
      await fetch(`${at.url}/api/v1${path}`, { method: "POST", headers: json, body: JSON.stringify(body) })
    ).json();
  };
  const invited = () =>
    post("/invitations", { email: "bob@example.com", role: "owner" }, { Cookie: cookie?.split(";")[0] ?? "" });
  const ids: string[] = [];
  for (const invitation of [await invited(), await invited()]) {
    const token = new URL(invitation.link).hash.replace("#token=", "");
    ids.push((await post("/invitations/accept", { token })).userId);
  }
  const several = await at.here("owner", "-email", "bob@example.com");
  expect(several).toMatchObject({ code: 2, stdout: "" });
  for (const id of ids) expect(several.stderr).toContain(id);
  const one = await at.here("owner", "-user", ids[1] ?? "");
  expect(await (await signIn(new URL(one.stdout.trim()).hash.replace("#token=", ""))).json()).toMatchObject({
    userId: ids[1],
  });
  expect(await at.here("owner", "-user", "user_nobody")).toMatchObject({ code: 4, stdout: "" });
  for (const wrong of [["-user", ids[0] ?? "", "-email", "bob@example.com"], []])
    expect(await at.here("owner", ...wrong)).toMatchObject({ code: 2, stdout: "" });
});

test("token gets an access token by discovery with the key that client create wrote", async () => {
  const key = join(at.folder, "agent.pem");
  const create = ["client", "create", "-name", "agent", "-scopes", "audit:read", "-keyOut", key];
  const { clientId } = JSON.parse((await at.countersign(...create)).stdout);
  const run = await at.countersign("token", "-issuer", at.url, "-client", clientId, "-key", key);
  expect(run).toMatchObject({ code: 0, stderr: "" });
  const token = run.stdout.trim();
  expect(token).toMatch(/^cst_us_\w/);
  const audit = await fetch(`${at.url}/api/v1/audit-events`, { headers: { Authorization: `Bearer ${token}` } });
  expect(audit.status).toBe(200);

  const narrow = ["token", "-issuer", `${at.url}/`, "-client", clientId, "-key", key];
  expect((await at.here(...narrow, "-scope", "audit:read")).stdout).toMatch(/^cst_us_/);
  const refused = await at.countersign(...narrow, "-resource", "https://elsewhere.example");
  expect(refused).toMatchObject({ code: 4, stdout: "" });
  expect(refused.stderr).toMatch(/refused with 400 \(invalid_target\S*\)\. .*resources, see client show/);
  const broad = await at.here(...narrow, "-scope", "books:lend");
  expect(broad.stderr).toMatch(/refused with 400 \(invalid_scope\S*\)\. Nothing of what -scope asks for/);
  const elsewhere = at.url.replace("localhost", "127.0.0.1");
  const other = await at.here("token", "-issuer", elsewhere, "-client", clientId, "-key", key);
  expect(other.stderr).toBe(`${elsewhere} calls itself "${at.url}": use that as -issuer.\n`);
});

test("52. stop, resume and stops work beside the running server, which knows at once", async () => {
  const key = join(at.folder, "stopped.pem");
  const made = ["client", "create", "-name", "stopped", "-scopes", "audit:read", "-keyOut", key];
  const { clientId } = JSON.parse((await at.here(...made)).stdout);
  const token = (await at.here("token", "-issuer", at.url, "-client", clientId, "-key", key)).stdout.trim();
  const status = async () =>
    (await fetch(`${at.url}/api/v1/audit-events?limit=1`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status()).toBe(200);
  const target = ["-kind", "api_client", "-id", clientId];
  const run = await at.countersign("stop", ...target, "-reason", "It does harm.");
  expect(run).toMatchObject({ code: 0, stderr: "" });
  const { stop, ownTokens } = JSON.parse(run.stdout);
  expect([stop, ownTokens]).toEqual([expect.objectContaining({ state: "suspended", reason: "It does harm." }), "now"]);
  expect(await status()).toBe(401);
  expect(JSON.parse((await at.countersign("stops")).stdout).items).toEqual([stop]);
  expect((await at.here("token", "-issuer", at.url, "-client", clientId, "-key", key)).code).toBe(4);
  expect((await at.countersign("resume", ...target, "-reason", "It is mended.")).code).toBe(0);
  expect(await status()).toBe(401);
  expect((await at.here("token", "-issuer", at.url, "-client", clientId, "-key", key)).code).toBe(0);
  const again = await at.here("resume", ...target, "-reason", "It is mended.");
  expect(again).toMatchObject({ code: 4, stderr: `The api_client ${clientId} is not suspended.\n` });
  for (const wrong of [
    ["-kind", "robot", "-id", "x"],
    ["-id", "x"],
  ]) {
    expect((await at.here("stop", ...wrong, "-reason", "x")).stderr).toMatch(/^-kind must be one of organization, /);
  }
});

test("token tells that the key may be revoked", async () => {
  const key = join(at.folder, "revoked.pem");
  const made = JSON.parse((await at.here("client", "create", "-name", "old", "-keyOut", key)).stdout);
  await at.here("client", "revoke-key", "-client", made.clientId, "-keyPair", made.keyPairId);
  const run = await at.here("token", "-issuer", at.url, "-client", made.clientId, "-key", key);
  expect(run).toMatchObject({ code: 4, stdout: "" });
  expect(run.stderr).toBe(
    "The token request was refused with 400 (invalid_client: invalid JWT signature). " +
      "The key is none of the client's, or is revoked: see its key pairs with client show.\n",
  );
});

test("token tells what was refused and never shows key or assertion", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = join(at.folder, "foreign.pem");
  writeFileSync(key, privateKey.export({ type: "sec1", format: "pem" }));
  const client = "client_00000000-0000-8000-8000-000000000000";
  const run = await at.here("token", "-issuer", at.url, "-client", client, "-key", key);
  expect(run).toMatchObject({
    code: 4,
    stdout: "",
    stderr: "The token request was refused with 400 (invalid_client: invalid client).\n",
  });
});

test.each([
  ["no key at all", "hello"],
  [
    "a P-384 key",
    generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ type: "pkcs8", format: "pem" }),
  ],
  [
    "a public key",
    generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ type: "spki", format: "pem" }),
  ],
])("token refuses %s in one line", async (_, content) => {
  const key = join(at.folder, "bad.pem");
  writeFileSync(key, content);
  const run = await at.here("token", "-issuer", at.url, "-client", "client_x", "-key", key);
  expect(run).toMatchObject({ code: 2, stdout: "" });
  expect(run.stderr).toMatch(/^The key [^\n]+\.\n$/);
});

test("token finds the document at the address of RFC 8414, too", async () => {
  const key = join(at.folder, "other-server.pem");
  writeFileSync(
    key,
    generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }),
  );
  const asked: string[] = [];
  const other = createServer(({ url = "" }, response) => {
    asked.push(url);
    const issuer = `http://127.0.0.1:${(other.address() as AddressInfo).port}/tenant`;
    const documents: Readonly<Record<string, object>> = {
      "/.well-known/oauth-authorization-server/tenant": { issuer, token_endpoint: `${issuer}/token` },
      "/tenant/token": { access_token: "a-token", token_type: "Bearer" },
    };
    response.writeHead(url in documents ? 200 : 404).end(JSON.stringify(documents[url] ?? {}));
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(other.address() as AddressInfo).port}/tenant`;
  const run = await at.here("token", "-issuer", issuer, "-client", "client_x", "-key", key);
  other.close();
  expect(run).toMatchObject({ code: 0, stdout: "a-token\n", stderr: "" });
  expect(asked[0]).toBe("/tenant/.well-known/openid-configuration");
});

test("token says when nobody answers at the issuer", async () => {
  const key = join(at.folder, "any.pem");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  const run = await at.here("token", "-issuer", "http://127.0.0.1:9", "-client", "client_x", "-key", key);
  expect(run).toMatchObject({ code: 5, stdout: "" });
  expect(run.stderr).toMatch(/^http:\/\/127\.0\.0\.1:9\/\S+ gave no usable answer \([^\n]+\)\.\n$/);
});

function signIn(token: string): Promise<Response> {
  return fetch(`${at.url}/api/v1/sign-in/link`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
}
