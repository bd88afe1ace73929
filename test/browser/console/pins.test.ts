import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PinList } from "../../../lib/management/schemas/pins.ts";
import { node } from "../../runtimes/node.ts";
import { expectAccessibleInBothSchemes } from "./support/axe.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { holdTool, noticeTool, pinning } from "./support/pins.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const APP = "board";
const BEFORE = noticeTool("Posts a notice.");
const NOW = noticeTool("Posts a notice, and everything that was said before.");
const LATER = noticeTool("Posts a notice to everybody.");

describe("held tools", () => {
  let stage: Stage;
  let owner: Visitor;
  beforeAll(async () => {
    stage = await openStage(pinning(node, APP));
    owner = await stage.owner({ viewport: { width: 1200, height: 800 } });
    await holdTool(stage.server, owner, APP, BEFORE, NOW);
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  const compare = async () => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/gateway/pins`);
    await heading(page, "Held tools").waitFor();
    await loaded(page);
    await page.getByRole("button", { name: "Compare postNotice" }).click();
    const dialog = page.getByRole("dialog", { name: "Held tool" });
    await dialog.getByRole("region", { name: "Difference" }).waitFor();
    return dialog;
  };
  const held = async () =>
    (await request<PinList>(stage.server, owner, "GET", "/pins")).items.flatMap((app) => app.held);

  test("an owner sees what has changed, approves that version alone, and nothing is held then", async () => {
    const { page } = owner;
    const dialog = await compare();
    const difference = dialog.getByRole("region", { name: "Difference" });
    expect(await difference.locator("del").allTextContents()).toEqual(['  "description": "Posts a notice.",']);
    expect(await difference.locator("ins").allTextContents()).toEqual([
      '  "description": "Posts a notice, and everything that was said before.",',
    ]);
    await difference.getByText("Removed:").waitFor();
    await expectAccessibleInBothSchemes(page, "comparing");
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "comparing, narrow");
    await page.setViewportSize({ width: 1200, height: 800 });

    await holdTool(stage.server, owner, APP, BEFORE, LATER);
    await dialog.getByRole("button", { name: "Approve" }).click();
    await dialog.getByText("Nothing was decided").waitFor();
    await dialog.getByText(LATER.digest, { exact: false }).waitFor();
    expect(await held()).toMatchObject([{ digest: LATER.digest }]);

    await (await compare()).getByRole("button", { name: "Approve" }).click();
    await page.getByText("Nothing is held").waitFor();
    expect(await held()).toEqual([]);
  });

  test("an owner refuses a version, which stays in the list, and forgets the tool", async () => {
    const { page } = owner;
    await holdTool(stage.server, owner, APP, BEFORE, NOW);
    await (await compare()).getByRole("button", { name: "Refuse" }).click();
    await page.getByRole("cell", { name: "Refused" }).waitFor();
    expect(await held()).toMatchObject([{ digest: NOW.digest, refused: {} }]);
    await page.getByRole("button", { name: "Forget postNotice" }).click();
    const question = page.getByRole("dialog", { name: "Forget this tool?" });
    await question.getByText("From then on it is held as a new tool.", { exact: false }).waitFor();
    await question.getByRole("button", { name: "Forget" }).click();
    await page.getByText("Nothing is held").waitFor();
    expect(await held()).toEqual([]);
  });
});
