import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { cookieOf, type Organization, send, startOrganization } from "../directory/people.ts";
import { CONSOLE } from "../support/configuration.ts";
import { ISSUER } from "../support/in-process.ts";

const OWNER = { organization: "Example", email: "owner@example.com" };
const SETUP_TOKEN = "a token that was never used";

let organization: Organization;
beforeEach(async () => {
  const recovery = { setupToken: SETUP_TOKEN, recoverOwner: OWNER.email };
  organization = await startOrganization({
    configuration: { console: { ...CONSOLE, enabled: true, baseURL: ISSUER, ...recovery } },
  });
});
afterEach(() => organization.product.close());

const ended = async () => {
  const { organizationId, product } = organization;
  const { auditLog } = product.dependencies.stores;
  return (await auditLog.query({ organizationId, type: "browser_session.ended" }, { limit: 10 })).items;
};

test("33. signing out is recorded as the end of that session, once", async () => {
  const { owner } = organization;
  const { sessionId } = (await owner.call("GET", "/me")).body;
  const { headers } = await owner.call("POST", "/sign-out");
  expect((await owner.call("POST", "/sign-out")).status).toBe(204);
  expect(await ended()).toMatchObject([
    { actor: owner.userId, user: owner.userId, requestId: headers.get("X-Request-Id"), details: { sessionId } },
  ]);
});

test("33. signing out of the Console ends no session of another kind that stands in its cookie", async () => {
  const { product, owner } = organization;
  const signIn = { connector: "corp", issuer: "https://idp.example", subject: "1", claims: {} };
  const value = await startBrowserSession(product.dependencies, owner.userId, { signIn });
  const Cookie = `__Host-countersign-console=${value}`;
  expect((await send(product, "POST", "/sign-out", undefined, { Cookie })).status).toBe(204);
  const { directory } = product.dependencies.stores;
  expect(await directory.getBrowserSession(sha256base64url(value))).toBeDefined();
  expect(await ended()).toEqual([]);
});

test("33. an owner who is recovered leaves no session behind that the browser had before", async () => {
  const { product } = organization;
  const bob = await organization.joined("bob@example.com");
  const setup = { ...OWNER, token: SETUP_TOKEN };
  const recovered = await send(product, "POST", "/setup", setup, { Cookie: bob.cookie });
  expect(recovered.status).toBe(200);
  expect((await bob.call("GET", "/me")).status).toBe(401);
  expect((await send(product, "GET", "/me", undefined, { Cookie: cookieOf(recovered) })).status).toBe(200);
});
