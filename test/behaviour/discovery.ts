import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { managementDocument } from "../../lib/management/document.ts";
import { tinyConsole } from "../support/console-build.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import type { Built } from "../support/shared-run/built-once.ts";
import { behaviourConfiguration } from "./configuration.ts";
import { consoleAssets } from "./console-assets.ts";
import { NO_UPSTREAM } from "./fixture.ts";

/** The metadata documents and the key set. */
export function discoveryDocuments(runtime: RuntimeUnderTest): void {
  describe("discovery documents", () => {
    let regions: RunningRegions;
    let build: Built;

    beforeAll(async () => {
      build = await tinyConsole();
      const variables = { UPSTREAM_URL: NO_UPSTREAM };
      regions = await runtime.start({
        configuration: behaviourConfiguration,
        variables,
        consoleBuild: build.folder,
      });
    });
    afterAll(async () => {
      await regions?.stop();
      await build?.remove();
    });

    consoleAssets(runtime, () => regions);

    const paths = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"];

    test.each(paths)("%s names the issuer and every endpoint of its region", async (path) => {
      for (const { url } of [regions.us, regions.uk]) {
        const response = await fetch(url + path);
        expect(response.status).toBe(200);
        expect(await response.json()).toMatchObject({
          issuer: url,
          token_endpoint: `${url}/oauth2/token`,
          jwks_uri: `${url}/oauth2/jwks`,
          introspection_endpoint: `${url}/oauth2/introspect`,
          revocation_endpoint: `${url}/oauth2/revoke`,
        });
      }
    });

    test("the management API's document is the same on every runtime, for each region with its own address", async () => {
      for (const { url } of [regions.us, regions.uk]) {
        const response = await fetch(`${url}/api/v1/openapi.json`);
        expect(response.status).toBe(200);
        expect(response.headers.get("Content-Type")).toBe("application/json");
        const expected = managementDocument({ publicURL: url, cookieName: "__Host-countersign-console" });
        expect(await response.text()).toBe(JSON.stringify(expected));
        const headers = { "If-None-Match": response.headers.get("ETag") as string };
        expect((await fetch(response.url, { headers })).status).toBe(304);
      }
    });

    test("only what works is listed", async () => {
      const response = await fetch(regions.us.url + paths[0]);
      expect(await response.json()).toMatchObject({
        grant_types_supported: ["client_credentials"],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ["private_key_jwt"],
        token_endpoint_auth_signing_alg_values_supported: ["ES256"],
        introspection_endpoint_auth_methods_supported: ["private_key_jwt", "client_secret_basic", "client_secret_post"],
      });
    });

    test.each([
      [paths[0], ["id_token_signing_alg_values_supported", "response_types_supported"]],
      [paths[1], ["response_types_supported"]],
    ])("%s leaves out what has no elements, but for what it is required to say", async (path, required) => {
      const document = (await (await fetch(regions.us.url + path)).json()) as Record<string, unknown>;
      const isEmpty = (value: unknown) => value === null || value === "" || JSON.stringify(value).length === 2;
      const empty = Object.keys(document).filter((name) => isEmpty(document[name]));
      expect(empty.sort()).toEqual(required);
    });

    test("the members of OpenID Connect alone are at its own path alone", async () => {
      const [openId, oauth] = await Promise.all(
        paths.map(async (path) => (await (await fetch(regions.us.url + path)).json()) as Record<string, unknown>),
      );
      const { subject_types_supported, id_token_signing_alg_values_supported, ...common } = openId ?? {};
      expect(subject_types_supported).toEqual(["public"]);
      expect(id_token_signing_alg_values_supported).toEqual([]);
      expect(common).toEqual(oauth);
    });

    test("the authorization endpoint, which supports no response type, never redirects", async () => {
      const metadata = (await (await fetch(regions.us.url + paths[0])).json()) as { authorization_endpoint: string };
      const query = "response_type=code&client_id=x&redirect_uri=https%3A%2F%2Felsewhere.example";
      const response = await fetch(`${metadata.authorization_endpoint}?${query}`, { redirect: "manual" });
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
      await response.body?.cancel();
    });

    test("the key set is empty while nothing is signed", async () => {
      const response = await fetch(`${regions.us.url}/oauth2/jwks`);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ keys: [] });
    });

    test.each([...paths, "/oauth2/jwks"])(
      "%s is cacheable for five minutes and answers 304 to its ETag",
      async (path) => {
        const first = await fetch(regions.us.url + path);
        await first.body?.cancel();
        const etag = first.headers.get("ETag") ?? "";
        expect(etag).toMatch(/^(W\/)?"[\w-]+"$/);
        expect(first.headers.get("Cache-Control")).toMatch(/max-age=300/);
        const again = await fetch(regions.us.url + path, { headers: { "If-None-Match": etag } });
        expect(again.status).toBe(304);
        expect(await again.text()).toBe("");
        const other = await fetch(regions.us.url + path, { headers: { "If-None-Match": '"another"' } });
        expect(other.status).toBe(200);
        await other.body?.cancel();
      },
    );

    test.each([...paths, "/oauth2/jwks"])("%s can be read by any web page", async (path) => {
      const response = await fetch(regions.us.url + path, { headers: { Origin: "https://app.example" } });
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
      await response.body?.cancel();
    });

    test("a web page may call the token endpoint after a preflight", async () => {
      const response = await fetch(`${regions.us.url}/oauth2/token`, {
        method: "OPTIONS",
        headers: { Origin: "https://app.example", "Access-Control-Request-Method": "POST" },
      });
      expect(response.status).toBeLessThan(300);
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    });
  });
}
