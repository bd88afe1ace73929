import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { Organization } from "../../../lib/management/schemas/organizations.ts";
import { consolePages, expectToFit, openPage } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { openStage, type Stage } from "./support/stage.ts";

/** What people may call things, and what a page has to show of it. */
const NAMES = {
  markup: `"><img src=x onerror=alert(1)>'{{7*7}}\${1}</script><script>alert(2)</script>`,
  "right to left": "שלום עולם مرحبا بالعالم (abc) !",
  // A browser that took these for instructions would show "exe.txt" backwards.
  "with invisible characters": "invoice\u202Etxt.exe\u2066\u200B",
  "as long as a name may be": "W".repeat(200),
} as const;

describe("35. names that people chose are text on every page", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.stop());

  test.each(Object.entries(NAMES))("35. %s: shown as it is, and nothing leaves its place", async (_, name) => {
    const { server } = stage;
    const owner = await stage.owner();
    const { organizationId } = await request<Organization>(server, owner, "POST", "/organizations", { name });
    const description = name.repeat(Math.ceil(1_000 / name.length)).slice(0, 1_000);
    const fields = { name, description, resources: [`${server.url}/mcp`] };
    const client = await request<ApiClient>(server, owner, "POST", "/api-clients", fields, organizationId);
    await request(server, owner, "POST", `/api-clients/${client.clientId}/key-pairs`, undefined, organizationId);
    await owner.context.addInitScript((id) => localStorage.setItem("countersign-organization", id), organizationId);
    for (const page of consolePages(client.clientId).filter(({ name }) => !OF_OTHERS.includes(name))) {
      await openPage(owner.page, server.url, page);
      for (const width of [360, 1200]) {
        await owner.page.setViewportSize({ width, height: 800 });
        await expectToFit(owner.page, `${page.name}, ${width} wide`);
      }
      const shown = await owner.page.locator("body").textContent();
      expect(shown?.includes(visible(name)), `${page.name} shows the organization's name`).toBe(true);
    }
    await owner.leave();
  });
});

/** Pages that only the first organization has, and one for everybody. */
const OF_OTHERS: readonly string[] = ["gateway-settings", "tool", "connect"];

/** Characters that are not seen are shown by their numbers. */
function visible(name: string): string {
  return name.replace(/\p{Cf}/gu, (character) => `U+${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
