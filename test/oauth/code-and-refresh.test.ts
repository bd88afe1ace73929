import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "#sha256";
import { activeToken } from "../../lib/authorization-server/tokens/access-token.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import {
  askToken,
  codeForm,
  PERSON,
  postTo,
  refreshForm,
  signedIn,
  startChain,
  startWithApps,
  tokensOf,
} from "../support/chains.ts";
import { type InProcess, ISSUER, START } from "../support/in-process.ts";
import { AGENT, GATEWAY, LEDGER, oidcApp, PUBLIC_AGENT } from "../support/oauth-apps.ts";

const OPAQUE = oidcApp("opaque", { ...AGENT, clientID: "opaque", secrets: ["the secret of opaque"] });
const WITHOUT_REFRESH = { ...AGENT, clientID: "once", secrets: ["the secret of once"] };

describe("the code and refresh grants", () => {
  let product: InProcess;
  beforeAll(async () => {
    product = await startWithApps({
      apps: [
        AGENT,
        PUBLIC_AGENT,
        { ...OPAQUE, accessToken: { type: "opaque", lifetime: 600_000 } },
        { ...WITHOUT_REFRESH, grantTypes: ["authorization_code"] },
        oidcApp("stranger"),
      ],
    });
  });
  afterAll(() => product.close());

  test("a code brings a JWT for the first resource, a refresh token and an ID token", async () => {
    const { code, grant } = await startChain(product, { nonce: "a nonce" });
    const answer = await askToken(product, "agent", codeForm(code));
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const tokens = tokensOf(answer);
    expect(tokens).toMatchObject({
      token_type: "Bearer",
      expires_in: 3600,
      scope: "openid profile email tools:read tools:write",
    });
    expect(tokens.refresh_token).toMatch(/^csr_us_/);
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ typ: "at+jwt", alg: "ES256" });
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      iss: ISSUER,
      sub: PERSON,
      aud: GATEWAY,
      client_id: "agent",
      acr: "urn:example:strong",
      amr: ["pwd", "otp"],
      auth_time: START / 1000 - 60,
      department: "books",
      chain: { id: grant.chainId, consent: grant.consentId },
    });
    expect(decodeJwt(tokens.access_token)).not.toHaveProperty("email");
    expect(decodeJwt(tokens.id_token)).toEqual({
      iss: ISSUER,
      sub: PERSON,
      aud: "agent",
      iat: START / 1000,
      exp: START / 1000 + 3600,
      auth_time: START / 1000 - 60,
      acr: "urn:example:strong",
      amr: ["pwd", "otp"],
      nonce: "a nonce",
      at_hash: base64url(sha256(tokens.access_token).slice(0, 16)),
      name: "A Person",
      email: "person@example.com",
      email_verified: true,
      department: "books",
    });
  });

  test("a public client presents its client_id and the verifier", async () => {
    const { code } = await startChain(product, { clientId: "public-agent" });
    const answer = await postTo(product, "/oauth2/token", codeForm(code, { client_id: "public-agent" }));
    expect(tokensOf(answer).access_token).toMatch(/^ey/);
  });

  test("a code for another resource of the grant, and the format of the client", async () => {
    const { code } = await startChain(product, { clientId: "opaque" });
    const tokens = tokensOf(await askToken(product, "opaque", codeForm(code, { resource: LEDGER })));
    expect(tokens).toMatchObject({ access_token: expect.stringMatching(/^cst_us_/), expires_in: 600 });
    const record = await activeToken(tokens.access_token, product.dependencies);
    expect(record).toMatchObject({ audience: LEDGER, subject: PERSON, clientId: "opaque" });
  });

  test("without the grant there is no refresh token, and without openid no ID token", async () => {
    const { code } = await startChain(product, { clientId: "once", scopes: ["tools:read"] });
    const tokens = tokensOf(await askToken(product, "once", codeForm(code)));
    expect(Object.keys(tokens).toSorted()).toEqual(["access_token", "expires_in", "scope", "token_type"]);
  });

  test("a request that did not name the redirect need not name it again", async () => {
    const { code } = await startChain(product, { namedRedirect: false });
    const { redirect_uri: _, ...form } = codeForm(code);
    expect((await askToken(product, "agent", form)).status).toBe(200);
  });

  test("what a client's registration lost meanwhile it does not get", async () => {
    const { code } = await startChain(product, { scopes: ["tools:read", "tools:gone"] });
    expect(tokensOf(await askToken(product, "agent", codeForm(code))).scope).toBe("tools:read");
  });

  test("where it lost all that was granted or asked for there is no token, and code and refresh token stay good", async () => {
    const gone = { status: 400, body: { error: "invalid_scope" } };
    const { code } = await startChain(product, { scopes: ["gone:one", "gone:two"] });
    expect(await askToken(product, "agent", codeForm(code))).toMatchObject(gone);
    expect(await askToken(product, "agent", codeForm(code, { scope: "gone:one" }))).toMatchObject(gone);

    const { refresh_token } = await signedIn(product, { scopes: ["tools:read", "gone:one"] });
    expect(await askToken(product, "agent", refreshForm(refresh_token, { scope: "gone:one" }))).toMatchObject(gone);
    const partly = refreshForm(refresh_token, { scope: "tools:read gone:one" });
    expect(tokensOf(await askToken(product, "agent", partly)).scope).toBe("tools:read");
  });

  test("a grant without scopes brings a token without any", async () => {
    const { code } = await startChain(product, { scopes: [] });
    expect(tokensOf(await askToken(product, "agent", codeForm(code)))).not.toHaveProperty("scope");
  });

  test("an access token never outlives its chain", async () => {
    const { code } = await startChain(product, { expiresAt: START + 90_000 });
    expect(tokensOf(await askToken(product, "agent", codeForm(code))).expires_in).toBe(90);
  });

  test.each([
    ["a resource that was not granted", { resource: "https://other.example" }, "invalid_target"],
    ["a scope that was not granted", { scope: "tools:read tools:admin" }, "invalid_scope"],
    ["a malformed scope", { scope: 'tools:"read' }, "invalid_scope"],
  ])("%s is refused and leaves the code as it is", async (_, more, error) => {
    const { code } = await startChain(product);
    expect(await askToken(product, "agent", codeForm(code, more))).toMatchObject({ status: 400, body: { error } });
    expect((await askToken(product, "agent", codeForm(code))).status).toBe(200);
  });

  test("a client without the grant is told so", async () => {
    const { code } = await startChain(product);
    const answer = await askToken(product, "stranger", codeForm(code));
    expect(answer).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
  });

  test("a refresh brings a new pair, and an ID token without the nonce of the sign-in", async () => {
    const first = await signedIn(product, { nonce: "a nonce" });
    const second = tokensOf(await askToken(product, "agent", refreshForm(first.refresh_token)));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const { nonce, ...claims } = decodeJwt(second.id_token);
    expect(nonce).toBeUndefined();
    expect(claims).toMatchObject({ sub: PERSON, auth_time: START / 1000 - 60, aud: "agent" });
  });

  test("a refresh may ask for fewer scopes and another resource, and loses nothing for the next one", async () => {
    const first = await signedIn(product);
    const narrow = { scope: "tools:read", resource: LEDGER };
    const second = tokensOf(await askToken(product, "agent", refreshForm(first.refresh_token, narrow)));
    expect(second).toMatchObject({ scope: "tools:read" });
    expect(second.id_token).toBeUndefined();
    expect(decodeJwt(second.access_token)).toMatchObject({ aud: LEDGER, scope: "tools:read" });
    const third = tokensOf(await askToken(product, "agent", refreshForm(second.refresh_token)));
    expect(third.scope).toBe("openid profile email tools:read tools:write");
  });

  test("tokens of people are in the audit log, with person and client", async () => {
    const { grant } = await startChain(product);
    const page = { limit: 200, cursor: undefined };
    const filter = { organizationId: grant.organizationId, type: "token.issued", user: PERSON };
    const { items } = await product.dependencies.stores.auditLog.query(filter, page);
    const issued = items.filter(({ agent }) => agent === "agent");
    expect(issued[0]).toMatchObject({ actor: "agent", user: PERSON, outcome: "success" });
    expect(new Set(items.map(({ details }) => details?.grantType))).toEqual(
      new Set(["authorization_code", "refresh_token"]),
    );
  });
});
