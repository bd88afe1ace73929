import { expect, test } from "vitest";
import type { Configuration } from "../../lib/config/configuration.ts";
import { signInOptions } from "../../lib/management/representations/sign-in-options.ts";
import { CONSOLE } from "../support/configuration.ts";
import { ISSUER, startInProcess } from "../support/in-process.ts";
import { openTestInstance } from "./instance.ts";

async function optionsWith(console: Partial<Configuration["console"]>): Promise<unknown> {
  const product = await startInProcess({
    configuration: { console: { ...CONSOLE, enabled: true, baseURL: ISSUER, ...console } },
  });
  const response = await product.send("/api/v1/sign-in");
  await product.close();
  return response.json();
}

test("anybody learns how people sign in", async () => {
  expect(await optionsWith({})).toEqual({ region: "us", setup: false, passkeys: true, connectors: [] });
  expect(await optionsWith({ passkeys: false, connectors: ["corporate"] })).toMatchObject({
    passkeys: false,
    connectors: ["corporate"],
  });
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
