import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { personId } from "../../lib/stores/identities.ts";
import type { Answer } from "../behaviour/fixture.ts";
import { askToken, exchangeForm, PERSON, signedIn, startWithApps } from "../support/chains.ts";
import { type InProcess, ISSUER, START } from "../support/in-process.ts";
import { AGENT, CORP, EXCHANGER, GATEWAY, LEDGER_APP } from "../support/oauth-apps.ts";

const TYPE = "urn:ietf:params:oauth:token-type";
const JWT = { subject_token_type: `${TYPE}:jwt` };
const ID_TOKEN = { subject_token_type: `${TYPE}:id_token` };

/** A provider that publishes its keys and signs whatever the test says. */
interface Issuer {
  readonly issuer: string;
  readonly asked: readonly string[];
  /** Publishes a new key and signs with it from here on. */
  rotate(): Promise<void>;
  breakDown(): void;
  sign(claims: Readonly<Record<string, unknown>>, typ?: string): Promise<string>;
  stop(): Promise<void>;
}

describe("subject tokens of a connector's provider", () => {
  let corp: Issuer;
  let product: InProcess;
  beforeEach(async () => {
    corp = await startIssuer();
    const { tokenExchange } = EXCHANGER;
    product = await startWithApps({
      connectors: [{ ...CORP, wellKnownURL: `${corp.issuer}/.well-known/openid-configuration` }],
      apps: [
        {
          ...EXCHANGER,
          tokenExchange: { ...tokenExchange, subjectConnectors: ["corp"] },
          claimsMapping: { department: "corp.department", login: "corp.sub" },
        },
        LEDGER_APP,
      ],
    });
  });
  afterEach(async () => {
    await product.close();
    await corp.stop();
  });

  const claims = (more: Readonly<Record<string, unknown>> = {}) => ({
    iss: corp.issuer,
    sub: "ada",
    aud: CORP.clientID,
    exp: START / 1000 + 300,
    ...more,
  });
  const exchange = async (more: Readonly<Record<string, unknown>>, form: Readonly<Record<string, string>> = JWT) =>
    askToken(product, "gateway", exchangeForm(await corp.sign(claims(more)), form));
  const newClaims = ({ status, body }: Answer) => {
    if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
    return decodeJwt((body as { readonly access_token: string }).access_token);
  };

  test("begin a chain of the person who signs in there, for as long as they live", async () => {
    const answer = await exchange({ department: "books", acr: "strong", auth_time: 7, email: "ada@corp.example" });
    const token = newClaims(answer);
    expect(token).toMatchObject({
      sub: personId({ issuer: corp.issuer, subject: "ada" }),
      act: { sub: CORP.clientID, iss: corp.issuer },
      client_id: "gateway",
      department: "books",
      login: "ada",
      acr: "strong",
      auth_time: 7,
      exp: START / 1000 + 300,
    });
    expect(token).not.toHaveProperty("email");
  });

  test("are meant for the connector's client or an audience that the caller may bring", async () => {
    expect((await exchange({ aud: GATEWAY, client_id: "their-agent" })).status).toBe(200);
    expect((await exchange({ aud: ["x", CORP.clientID] })).status).toBe(200);
    expect((await exchange({ aud: "https://other.example" })).status).toBe(400);
    expect((await exchange({ aud: "https://other.example", client_id: "their-agent" })).status).toBe(400);
    expect((await exchange({ aud: GATEWAY, azp: "their-agent" }, ID_TOKEN)).status).toBe(400);
    expect((await exchange({ aud: [CORP.clientID, "x"], azp: "x" }, ID_TOKEN)).status).toBe(400);
    expect((await exchange({ azp: CORP.clientID }, ID_TOKEN)).status).toBe(200);
  });

  test.each([
    ["nonce", { nonce: "n" }],
    ["at_hash", { at_hash: "h" }],
    ["c_hash", { c_hash: "h" }],
  ])("are ID tokens when they have %s, and go under that type alone", async (_, sign) => {
    const audiences = [{}, { aud: GATEWAY, azp: "x" }, { aud: [CORP.clientID, "x"], azp: "x" }];
    for (const audience of audiences) {
      for (const type of ["jwt", "access_token"]) {
        const answer = await exchange({ ...audience, ...sign }, { subject_token_type: `${TYPE}:${type}` });
        const error_description = "the subject_token is not of the type that is given";
        expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request", error_description } });
      }
    }
    expect((await exchange(sign, ID_TOKEN)).status).toBe(200);
  });

  test("keep their actors, who are their issuer's", async () => {
    const act = { sub: "their-agent", act: { sub: "another", iss: "https://third.example" } };
    const token = newClaims(await exchange({ aud: GATEWAY, client_id: "their-gateway", act }));
    expect(token.act).toEqual({
      sub: "their-gateway",
      iss: corp.issuer,
      act: { sub: "their-agent", iss: corp.issuer, act: { sub: "another", iss: "https://third.example" } },
    });
    expect((await exchange({ may_act: { sub: "gateway" } })).body).toMatchObject({ error: "unauthorized_client" });
    const ours = { sub: "gateway", iss: "https://us.example" };
    expect(newClaims(await exchange({ may_act: ours })).may_act).toEqual(ours);
  });

  test.each([
    ["over", { exp: START / 1000 - 31 }],
    ["over within the tolerance, with nothing left", { exp: START / 1000 - 1 }],
    ["of tomorrow", { nbf: START / 1000 + 60 }],
    ["without an end", { exp: undefined }],
    ["without a subject", { sub: undefined }],
    ["a logout token", { events: { "http://schemas.openid.net/event/backchannel-logout": {} } }],
    ["bound to a key", { cnf: { jkt: "x" } }],
    ["of a client without a usable name", { client_id: "a\nb" }],
    ["of a client that is no text", { client_id: 7 }],
  ])("are refused when they are %s", async (_, more) => {
    expect(await exchange(more)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("are refused under another type, another key, or from a client that may not bring them", async () => {
    const other = await startIssuer();
    const typed = await corp.sign(claims(), "logout+jwt");
    const forged = await other.sign(claims());
    const good = await corp.sign(claims());
    await other.stop();
    for (const [client, text, form] of [
      ["gateway", typed, JWT],
      ["gateway", forged, JWT],
      ["ledger", good, JWT],
      ["gateway", good, { subject_token_type: `${TYPE}:saml2` }],
    ] as const) {
      const answer = await askToken(product, client, exchangeForm(text, form));
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    }
  });

  test("under a new key are accepted at once, and keys that do not exist are asked for a bounded number of times", async () => {
    expect((await exchange({})).status).toBe(200);
    await corp.rotate();
    expect((await exchange({})).status).toBe(200);
    const other = await startIssuer();
    const before = corp.asked.filter((path) => path === "/jwks").length;
    for (let tries = 0; tries < 60; tries++) {
      await askToken(product, "gateway", exchangeForm(await other.sign(claims()), JWT));
    }
    await other.stop();
    expect(corp.asked.filter((path) => path === "/jwks").length - before).toBeLessThan(25);
  });

  test("of this instance are its own, also where a connector names it", async () => {
    const own = { ...CORP, name: "own", wellKnownURL: `${ISSUER}/.well-known/openid-configuration` };
    const caller = { ...EXCHANGER, tokenExchange: { ...EXCHANGER.tokenExchange, subjectConnectors: ["own"] } };
    const here = await startWithApps({ connectors: [CORP, own], apps: [AGENT, caller] });
    const { access_token } = await signedIn(here);
    const { sub, act } = newClaims(await askToken(here, "gateway", exchangeForm(access_token, JWT)));
    expect({ sub, act }).toEqual({ sub: PERSON, act: { sub: "agent" } });
    await here.close();
  });

  test("cannot be judged while the provider's keys cannot be had", async () => {
    corp.breakDown();
    const answer = await exchange({});
    expect(answer).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
    expect(answer.headers.get("Retry-After")).toBe("5");
  });
});

async function startIssuer(): Promise<Issuer> {
  const asked: string[] = [];
  const keys: { readonly jwk: JWK; readonly privateKey: CryptoKey }[] = [];
  let isDown = false;
  const rotate = async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    keys.unshift({ jwk: { ...(await exportJWK(publicKey)), kid: crypto.randomUUID(), alg: "ES256" }, privateKey });
  };
  await rotate();
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    if (isDown) return void response.writeHead(503).end();
    const document = url === "/jwks" ? { keys: keys.map(({ jwk }) => jwk) } : metadata();
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  });
  return {
    issuer,
    asked,
    rotate,
    breakDown: () => {
      isDown = true;
    },
    sign: (claims, typ = "JWT") => {
      const { jwk, privateKey } = keys[0] as (typeof keys)[number];
      return new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ, kid: jwk.kid ?? "" }).sign(privateKey);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
