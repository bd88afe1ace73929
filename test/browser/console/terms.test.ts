import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import { expectAccessibleInBothSchemes } from "./support/axe.ts";
import { shot } from "./support/looks.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const DOCUMENTATION = "https://docs.example/v1";

describe("terms that the documentation explains", () => {
  let stage: Stage;
  let owner: Visitor;
  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner();
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  test("lead nowhere where the instance names no documentation", async () => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/stops`);
    await heading(page, "Stops").waitFor();
    await loaded(page);
    expect(await page.getByRole("link", { name: /^What is/ }).count()).toBe(0);
  });

  test.each<[path: string, title: string, links: Readonly<Record<string, string>>]>([
    ["stops", "Stops", { "What is a stop (documentation)": "docs/api.html#the-switch" }],
    [
      "gateway/limits",
      "Limits",
      {
        "What is a limit (documentation)": "docs/operations/health.html#limits-of-your-own",
        "What is an override (documentation)": "docs/api.html#overrides-of-an-organization",
      },
    ],
    ["approvals", "Approvals", { "What is an approval (documentation)": "docs/policies.html#who-must-approve" }],
  ])("lead from %s to their page and heading", async (path, title, links) => {
    const { page } = owner;
    await page.route("**/api/v1/instance", async (route) => {
      const answer = await route.fetch();
      const instance = (await answer.json()) as Instance;
      await route.fulfill({ response: answer, json: { ...instance, documentationURL: DOCUMENTATION } });
    });
    await page.goto(`${stage.server.url}/console/${path}`);
    await heading(page, title).waitFor();
    await loaded(page);
    for (const [name, address] of Object.entries(links)) {
      const link = page.getByRole("link", { name, exact: true });
      expect(await link.getAttribute("href")).toBe(`${DOCUMENTATION}/${address}`);
      expect(await link.getAttribute("rel")).toContain("noreferrer");
      const box = await link.boundingBox();
      expect([box?.width, box?.height]).toEqual([24, 24]);
    }
    await expectAccessibleInBothSchemes(page, `${path} with links to the documentation`);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, `${path}, narrow`);
    await shot(page, `terms-${title}`);
    await page.setViewportSize({ width: 1200, height: 800 });
  });
});
