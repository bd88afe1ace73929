import { expect, test } from "vitest";
import type { Configuration } from "../../lib/config/configuration.ts";
import { signInOptions } from "../../lib/management/representations/sign-in-options.ts";
import type { SignInWays } from "../../lib/management/schemas/sign-in.ts";
import { CONSOLE } from "../support/configuration.ts";
import { ISSUER, PROVIDER, startInProcess } from "../support/in-process.ts";
import { CORP } from "../support/oauth-apps.ts";
import { openTestInstance } from "./instance.ts";

async function optionsWith(
  console: Partial<Configuration["console"]>,
  more: Partial<Configuration> = {},
): Promise<SignInWays> {
  const product = await startInProcess({
    configuration: { ...more, console: { ...CONSOLE, enabled: true, baseURL: ISSUER, ...console } },
  });
  const response = await product.send("/api/v1/sign-in");
  await product.close();
  return (await response.json()) as SignInWays;
}

async function gatewayOf(configuration: Partial<Configuration>): Promise<SignInWays["gateway"]> {
  return (await optionsWith({}, configuration)).gateway;
}

test("anybody learns how people sign in", async () => {
  expect(await optionsWith({})).toEqual({ region: "us", setup: false, passkeys: true, connectors: [] });
  expect(await optionsWith({ passkeys: false, connectors: ["corporate"] })).toMatchObject({
    passkeys: false,
    connectors: ["corporate"],
  });
});

test("anybody learns where agents connect, and whether they can sign people in", async () => {
  expect(await gatewayOf({})).toBeUndefined();
  const mcpProvider = {
    ...{
      serverName: "Ledger",
      stream: { path: "/mcp", resource: `${ISSUER}/mcp` },
      allowedOrigins: [],
      allowedHosts: [],
    },
    oauth: { enabled: false, metadataPath: "/.well-known/oauth-protected-resource", servers: [] },
  };
  const gateway = { url: `${ISSUER}/mcp`, name: "Ledger" };
  expect(await gatewayOf({ mcpProvider })).toEqual({ ...gateway, people: false });
  const registration = { ...PROVIDER.registration, dynamic: true, connectors: [CORP.name] };
  const signsIn = { mcpProvider, connectors: [CORP], oidcProvider: { ...PROVIDER, registration } };
  expect(await gatewayOf(signsIn)).toEqual({ ...gateway, people: true });
});

test.each([
  ["http://localhost:8080", true],
  ["https://console.example", true],
  ["http://console.example", false],
  ["http://127.0.0.1:8080", false],
  ["https://[::1]", false],
  ["https://10.1", false],
])("at %s there are passkeys: %s", async (baseURL, passkeys) => {
  expect(await optionsWith({ baseURL })).toMatchObject({ passkeys });
});

test("where there are no passkeys none is asked for or made", async () => {
  const console = { ...CONSOLE, enabled: true, baseURL: ISSUER, passkeys: false };
  const product = await startInProcess({ configuration: { console } });
  const { status } = await product.send("/api/v1/sign-in/passkey/options", { method: "POST" });
  await product.close();
  expect(status).toBe(404);
});

test("an instance without an owner says so, until there is one", async () => {
  const { dependencies, close } = openTestInstance();
  const options = signInOptions(dependencies);
  expect(await options()).toMatchObject({ setup: true });
  close();
});
