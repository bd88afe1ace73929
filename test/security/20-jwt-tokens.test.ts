import { generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { activeToken, claimsOfToken, mintAccessToken } from "../../lib/authorization-server/tokens/access-token.ts";
import { basic } from "../behaviour/fixture.ts";
import { postTo, signedIn, startWithApps } from "../support/chains.ts";
import { counted } from "../support/counted.ts";
import { type InProcess, ISSUER, START } from "../support/in-process.ts";
import { GATEWAY, LEDGER, OAUTH_APPS, oidcApp, secretOf } from "../support/oauth-apps.ts";

const calls = { names: [] as string[] };
let product: InProcess;
beforeAll(async () => {
  const apps = [...OAUTH_APPS, oidcApp("resource-server", { resources: [LEDGER] })];
  product = await startWithApps({ apps }, { adapt: (dependencies) => counted(dependencies, calls) });
});
afterAll(() => product.close());

/** Without the request id, which the answer does not have. */
async function introspected(token: string, client = "resource-server"): Promise<unknown> {
  calls.names.length = 0;
  const credentials = basic({ clientId: client, secret: secretOf(client) });
  const { status, body } = await postTo(product, "/oauth2/introspect", { token }, credentials);
  expect(status).toBe(200);
  return body;
}

test("20. what is no active access token for the caller is exactly inactive, of whatever kind", async () => {
  const { access_token, id_token, refresh_token } = await signedIn(product);
  const record = await activeToken(access_token, product.dependencies);
  if (record === undefined) throw new Error("the token is not active");
  const { keyRing } = product.dependencies;
  const expired = { ...record, audience: LEDGER, issuedAt: START - 2_000, expiresAt: START };
  const { text: late } = await mintAccessToken(expired, "jwt", product.dependencies);
  const ended = { ...record, audience: LEDGER, tokenId: "tok_ended" };
  const { text: over } = await mintAccessToken(ended, "jwt", product.dependencies);
  const event = { id: "01", time: START, type: "token.revoked", outcome: "success" } as const;
  await product.dependencies.stores.tokens.end({ what: "token", lineage: ended, expiresAt: ended.expiresAt, event });
  const otherIssuer = await keyRing.sign(
    claimsOfToken({ ...record, audience: LEDGER }, "https://uk.example"),
    "at+jwt",
  );
  const tokens = { access_token, id_token, refresh_token, late, over, otherIssuer };
  for (const [kind, token] of Object.entries(tokens)) {
    expect({ kind, body: await introspected(token) }).toEqual({ kind, body: { active: false } });
  }
  for (const token of [id_token, refresh_token, late, over, otherIssuer]) {
    expect(await introspected(token, "gateway")).toEqual({ active: false });
  }
});

test("20. a forged JWT is inactive, and the store is never asked about its lineage", async () => {
  const { access_token } = await signedIn(product);
  const record = await activeToken(access_token, product.dependencies);
  if (record === undefined) throw new Error("the token is not active");
  const claims = { ...claimsOfToken({ ...record, audience: LEDGER }, ISSUER) };
  const { kid } = JSON.parse(Buffer.from(access_token.split(".")[0] ?? "", "base64url").toString()) as { kid: string };
  const { privateKey } = await generateKeyPair("ES256");
  for (const header of [{ kid }, { kid: "x".repeat(43) }, {}]) {
    const protectedHeader = { alg: "ES256", typ: "at+jwt", ...header };
    const forged = await new SignJWT(claims).setProtectedHeader(protectedHeader).sign(privateKey);
    expect(await introspected(forged)).toEqual({ active: false });
    expect(calls.names).not.toContain("tokens.isLive");
  }
  const none = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url")}.${access_token.split(".")[1]}.`;
  expect(await introspected(none)).toEqual({ active: false });
  expect(record.audience).toBe(GATEWAY);
});
