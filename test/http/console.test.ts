import { afterEach, expect, test } from "vitest";
import type { Configuration } from "../../lib/config/configuration.ts";
import { CONSOLE, PROCESS } from "../support/configuration.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";

let product: InProcess | undefined;
afterEach(() => product?.close());

async function startConsole(enabled: boolean, more: Pick<Partial<Configuration>, "health"> = {}): Promise<InProcess> {
  product = await startInProcess({ configuration: { console: { ...CONSOLE, baseURL: ISSUER, enabled }, ...more } });
  return product;
}

test.each(["/", "/console", "/console/", "/console/sign-in", "/console/assets/index-BtR1x9Qz.js"])(
  "where the Console is off there is nothing at %s",
  async (path) => {
    const { send } = await startConsole(false);
    const response = await send(path);
    expect(response.status).toBe(404);
    expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  },
);

test("an instance that was deployed without pages says on them how they are made", async () => {
  const { send } = await startConsole(true);
  const response = await send("/console/sign-in");
  expect(response.status).toBe(503);
  expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
  expect(await response.text()).toContain("npm run build:console");
  expect((await send("/console/assets/index-BtR1x9Qz.js")).status).toBe(404);
  expect((await send("/api/v1/me")).status).toBe(401);
});

test("what is configured to be at / or below /console/ is there, and not the Console", async () => {
  for (const location of ["/", "/console/status"]) {
    const { send, close } = await startConsole(true, { health: { ...PROCESS.health, location } });
    expect(await (await send(location)).json()).toMatchObject({ status: "up" });
    await close();
  }
  product = undefined;
});
