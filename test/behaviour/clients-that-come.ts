import { exportJWK, generateKeyPair } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DocumentServer, openDocumentServer } from "../support/document-server.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { behaviourConfiguration } from "./configuration.ts";
import {
  type Answer,
  answerOf,
  assertionParameters,
  basic,
  expectJson,
  NO_UPSTREAM,
  type Parameters,
  postForm,
  type Signer,
  signAssertion,
  startRegions,
} from "./fixture.ts";

/** Nobody signs in here; that people could is what lets clients come. */
const configuration: string = behaviourConfiguration
  .replace(
    "  region:",
    "  keySecret: <countersign.key-secret>\n  registration:\n    dynamic: true\n    clientIDMetadata: true\n  region:",
  )
  .replace(
    "apps:\n",
    `connectors:
  - name: corp
    type: oidc
    oidcWellKnownURL: ${NO_UPSTREAM}/.well-known/openid-configuration
    oauthClientID: countersign
    oauthClientSecret: secret-at-the-connector
apps:
  - type: oidc
    name: public agent
    clientID: public-agent
    public: true
    redirectURLs: ["http://127.0.0.1/callback"]
`,
  );

const REDIRECTS = { redirect_uris: ["http://127.0.0.1:8080/callback"] };

interface Registered {
  readonly client_id: string;
  readonly client_secret?: string;
}

/** Registration (RFC 7591), metadata documents, and how clients authenticate that came by themselves. */
export function clientsThatCome(runtime: RuntimeUnderTest): void {
  describe("clients that come by themselves", () => {
    let regions: RunningRegions;
    let server: DocumentServer;
    beforeAll(async () => {
      server = await openDocumentServer(["localhost"]);
      regions = await startRegions(runtime, NO_UPSTREAM, configuration);
    });
    afterAll(async () => {
      await regions.stop();
      await server.close();
    });

    const register = (metadata: object, region = regions.us) =>
      fetch(`${region.url}/oauth2/register`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...REDIRECTS, ...metadata }),
      });
    const registered = async (metadata: object) => expectJson<Registered>(await register(metadata), 201);
    /** A revocation of nothing: 200 when the caller is known. */
    const revoke = (form: Parameters, headers: Parameters = {}, region = regions.us): Promise<Answer> =>
      answerOf(postForm(`${region.url}/oauth2/revoke`, { token: "unknown", ...form }, headers));

    test("the metadata names every way in which clients come and authenticate", async () => {
      const metadata = await (await fetch(`${regions.us.url}/.well-known/oauth-authorization-server`)).json();
      expect(metadata).toMatchObject({
        registration_endpoint: `${regions.us.url}/oauth2/register`,
        client_id_metadata_document_supported: true,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        token_endpoint_auth_methods_supported: ["private_key_jwt", "client_secret_basic", "client_secret_post", "none"],
      });
    });

    test("a client with a secret is registered and authenticates by it, in its region alone", async () => {
      const { client_id: clientId, client_secret: secret = "" } = await registered({ client_name: "Agent" });
      expect(await revoke({}, basic({ clientId, secret }))).toMatchObject({ status: 200 });
      expect(await revoke({ client_id: clientId, client_secret: secret })).toMatchObject({ status: 200 });
      expect(await revoke({}, basic({ clientId, secret: `${secret}x` }))).toMatchObject({ status: 401 });
      expect(await revoke({ client_id: clientId })).toMatchObject({ status: 401 });
      expect(await revoke({}, basic({ clientId, secret }), regions.uk)).toMatchObject({ status: 401 });
    });

    test("a client with a key is registered and authenticates by it, each assertion once", async () => {
      const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
      const jwks = { keys: [await exportJWK(publicKey)] };
      const { client_id: clientId } = await registered({ token_endpoint_auth_method: "private_key_jwt", jwks });
      const signer: Signer = { clientId, key: { keyPairId: "", fingerprint: "", pem: "", privateKey } };
      const signed = assertionParameters(await signAssertion(signer, regions.us));
      const answers = await Promise.all(Array.from({ length: 10 }, () => revoke(signed)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await revoke(signed)).toMatchObject({ status: 400, body: { error_description: "replayed JWT" } });
      expect(await revoke({ client_id: clientId })).toMatchObject({ status: 401 });
    });

    test("a public client passes by its id, registered or configured", async () => {
      const { client_id } = await registered({ token_endpoint_auth_method: "none" });
      for (const id of [client_id, "public-agent"])
        expect(await revoke({ client_id: id })).toMatchObject({ status: 200 });
      expect(await revoke({ client_id: `agent_${crypto.randomUUID()}` })).toMatchObject({ status: 401 });
      const introspection = postForm(`${regions.us.url}/oauth2/introspect`, { token: "unknown", client_id });
      expect(await answerOf(introspection)).toMatchObject({ status: 401 });
    });

    test("registration answers browsers of every origin", async () => {
      const response = await fetch(`${regions.us.url}/oauth2/register`, { method: "OPTIONS" });
      expect(response.status).toBe(204);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(response.headers.get("Access-Control-Allow-Methods")).toBe("POST");
    });

    test("11. a redirect that runs in a page is refused, with words that help", async () => {
      const answer = await answerOf(register({ redirect_uris: ["javascript:alert(1)"] }));
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_redirect_uri" } });
      expect(answer.body).toHaveProperty("error_description", expect.stringContaining("redirect_uris[0]"));
    });

    test.each<[string, string, number]>([
      ["text/plain", "{}", 400],
      ["application/json", "{", 400],
      ["application/json", '{"a":'.repeat(500), 400],
      ["application/json", `"${"x".repeat(1024 * 1024)}"`, 413],
    ])("9. a registration of type %s that is no small JSON object is refused", async (type, body, status) => {
      const url = `${regions.us.url}/oauth2/register`;
      const answer = await answerOf(fetch(url, { method: "POST", headers: { "Content-Type": type }, body }));
      expect(answer).toMatchObject({ status, body: { error: "invalid_client_metadata" } });
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    });

    test("21. documents inside of networks are not asked for, whatever their address is called", async () => {
      const { port } = server;
      for (const url of [
        ...[`https://localhost:${port}/client`, `https://127.0.0.1:${port}/client`, `https://[::1]:${port}/client`],
        ...["https://localhost/client", "https://127.0.0.1/client", "https://169.254.169.254/latest/meta-data"],
        ...["https://metadata.google.internal/x", "https://[::ffff:127.0.0.1]/client", "https://2130706433/client"],
      ]) {
        expect(await revoke({ client_id: url })).toMatchObject({ status: 401, body: { error: "invalid_client" } });
      }
      expect(server.connections()).toBe(0);
    });

    test("what was registered is in the log neither as a secret nor as a defect", async () => {
      const { client_secret = "" } = await registered({});
      const log = regions.us.logs().join("\n");
      expect(log).not.toContain(client_secret);
      expect(log).not.toContain("request failed");
    });
  });
}
