import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { expectAccessible } from "./support/axe.ts";
import { consolePages, openPage } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { fillWithSamples } from "./support/sample.ts";
import { openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

/** What a button says that changes something for the organization. */
const CHANGES =
  /^(new|create|add|generate|register|revoke|delete|edit|rename|rotate|invite|end|terminate|save|change|reset|discard|actions|stop(?!\.)|suspend|resume)\b/i;

describe("a member", () => {
  let stage: Stage;
  let bob: Visitor;
  let clients: readonly ApiClient[];
  beforeAll(async () => {
    stage = await openStage();
    const owner = await stage.owner();
    clients = await fillWithSamples(stage.server, owner);
    const { link } = await request<{ readonly link: string }>(stage.server, owner, "POST", "/invitations", {
      email: "bob@desk.example",
      role: "member",
    });
    await owner.leave();
    bob = await stage.stranger();
    const token = new URLSearchParams(new URL(link).hash.slice(1)).get("token");
    await request(stage.server, bob, "POST", "/invitations/accept", { token });
  });
  afterAll(async () => {
    await bob?.leave();
    await stage?.stop();
  });

  test("reads every page, and is shown no button that changes something", async () => {
    const pages = consolePages(clients[0]?.clientId ?? "").filter(({ name }) => name !== "account");
    for (const page of pages) {
      await openPage(bob.page, stage.server.url, page);
      expect(await buttonsOf(bob), page.name).toEqual([]);
      for (const tab of await bob.page.getByRole("tab").all()) {
        await tab.click();
        expect(await buttonsOf(bob), `${page.name}, ${await tab.textContent()}`).toEqual([]);
      }
      await expectAccessible(bob.page, `${page.name} of a member`);
      expect(await bob.page.getByRole("alert").count(), `${page.name} has a problem`).toBe(0);
    }
  });

  test("is refused by the API, whatever a page shows", async () => {
    const client = clients[0] as ApiClient;
    const changes: readonly (readonly [method: string, path: string, body?: unknown])[] = [
      ["POST", "/api-clients", { name: "Bob's own" }],
      ["PATCH", `/api-clients/${client.clientId}`, { name: "Bob's now" }],
      ["DELETE", `/api-clients/${client.clientId}`],
      ["POST", `/api-clients/${client.clientId}/key-pairs`],
      ["POST", `/api-clients/${client.clientId}/key-pairs/${client.keyPairs[0]?.keyPairId ?? "key_0"}/revoke`],
      ["POST", "/invitations", { email: "mallory@desk.example", role: "owner" }],
      ["GET", "/invitations"],
      ["PUT", "/gateway-settings", { serverName: "Bob's gateway" }],
    ];
    for (const [method, path, data] of changes) {
      const url = `${stage.server.url}/api/v1${path}`;
      const answer = await bob.context.request.fetch(url, { method, ...(data !== undefined && { data }) });
      expect(answer.status(), `${method} ${path}`).toBe(403);
    }
  });
});

/** Names of buttons on the page, and of links there, that change something. */
async function buttonsOf({ page }: Visitor): Promise<readonly string[]> {
  const main = page.getByRole("main");
  // Everybody has an account of their own.
  const controls = await main.locator('button, a:not([href="/console/account"]), [role=button]').all();
  const names = await Promise.all(
    controls.map(async (one) => (await one.getAttribute("aria-label")) ?? (await one.textContent()) ?? ""),
  );
  return names.filter((name) => CHANGES.test(name.trim()));
}
