import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { openEmbeddedStore } from "../../../infra/node/sqlite/embedded-store.ts";
import { openBundle } from "../../../lib/deployment/bundle.ts";
import { keepPublication } from "../../../lib/deployment/records.ts";
import { systemClock } from "../../../lib/kernel/clock.ts";
import { artifactFrom, type Publisher, publisher } from "../../deployment/bundles.ts";
import { node } from "../../runtimes/node.ts";
import type { RuntimeUnderTest } from "../../support/runtime.ts";
import { expectAccessibleInBothSchemes } from "./support/axe.ts";
import { shot } from "./support/looks.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage, signedInAnew } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

describe("published configurations", () => {
  let ours: Publisher;
  let configuration = "";
  let stage: Stage;
  let owner: Visitor;

  beforeAll(async () => {
    ours = await publisher();
    stage = await openStage(following());
    owner = await stage.owner({ viewport: { width: 1200, height: 800 } });
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  /** Node, whose instances follow what is published into their store. */
  const following = (more: Readonly<Record<string, string>> = {}): RuntimeUnderTest => ({
    ...node,
    start: (options) => {
      configuration = options.configuration;
      const variables = {
        SVC_CONFIG_SOURCE: "store:",
        SVC_CONFIG_KEYS: ours.publicPem,
        SVC_CONFIG_DEPLOYMENT: "production",
        ...more,
      };
      return node.start({ ...options, variables: { ...options.variables, ...variables } });
    },
  });

  /** What the instance was started with, but for its apps, which take documents. */
  const publish = async (revision: number, reason: string, change: object): Promise<void> => {
    const document = { ...(parse(configuration) as object), apps: [], version: `v${revision}`, ...change };
    const bytes = await ours.bundle(await artifactFrom(stringify(document)), {
      ...{ revision, reason, region: "us", publishedBy: "ci", publishedAt: new Date().toISOString() },
    });
    const { stores, close } = openEmbeddedStore(stage.server.store, systemClock);
    try {
      const publication = await openBundle(bytes, ours.keys);
      await keepPublication(stores.deployments, { publication, bytes }, { by: "command line", events: [] });
    } finally {
      await close();
    }
  };

  const open = async ({ page } = owner) => {
    await page.goto(`${stage.server.url}/console/gateway/configuration`);
    await heading(page, "Configuration").waitFor();
    await loaded(page);
    return page;
  };

  test("a page tells that nothing was published, and then what is in use, why, and what it changed", async () => {
    await (await open()).getByText("Nothing is published yet").waitFor();
    await publish(1, "Without apps", {});
    await publish(2, "Longer sessions\u202E", {});
    const page = await open();
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "2", exact: true }) });
    await row.getByText("In use").waitFor();
    await row.getByText("Longer sessions").waitFor();
    await row.getByText("U+202E").waitFor();
    await row.getByText("ci").waitFor();
    const instances = page.getByRole("region", { name: "Instances" });
    await instances.getByText("The one instance uses revision 2 since").waitFor();
    await instances.getByRole("cell", { name: "Node" }).waitFor();
    await shot(page, "instances");
    await expectAccessibleInBothSchemes(page, "publications");

    await page.getByRole("button", { name: "Look at revision 2" }).click();
    const dialog = page.getByRole("dialog", { name: "Revision 2" });
    const changes = dialog.getByRole("region", { name: "Changes" });
    await changes.waitFor();
    expect(await changes.locator("ins").allTextContents()).toContain('version: "v2"');
    expect(await changes.locator("del").allTextContents()).toContain('version: "v1"');
    await expectAccessibleInBothSchemes(page, "changes");
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "changes, narrow");
    await page.setViewportSize({ width: 1200, height: 800 });
    await dialog.getByRole("button", { name: "Close" }).click();

    await page.getByRole("button", { name: "Look at revision 1" }).click();
    await page.getByText("countersign publish -rollbackTo 1 -deployment production").waitFor();

    await publish(3, "Other logs", { logger: { level: "debug" } });
    await (await open()).getByText("Revision 3 is refused").waitFor();
    await page.getByText("from its start alone: logger").first().waitFor();
    await page.getByRole("cell", { name: "Refused" }).waitFor();
    await instances.getByText("0 of 1 have said so far that they use revision 3.").waitFor();
    await instances.getByText("from its start alone: logger").waitFor();
    await expectAccessibleInBothSchemes(page, "an instance with a problem");
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "instances, narrow");
    await shot(page, "instances-narrow");
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  test("where instances sign, an owner edits, publishes, and goes back to what was in use before", async () => {
    await owner.leave();
    await stage.stop();
    stage = await openStage(following({ SVC_CONFIG_SIGNING: "service" }));
    owner = await stage.owner({ viewport: { width: 1200, height: 800 } });
    await publish(1, "Without apps", {});
    const page = await open();
    await page.getByRole("link", { name: "Edit" }).click();
    const editor = page.getByRole("textbox", { name: "Configuration, YAML" });
    await editor.getByText("v1").waitFor();
    await page.getByText("Secrets that stand in the document are not shown").waitFor();
    await editor.click();
    await page.keyboard.press("ControlOrMeta+a");
    await editor.evaluate(
      (element, pasted) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", pasted);
        element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      },
      stringify({ ...(parse(configuration) as object), apps: [], version: "two" }),
    );
    await editor.getByText("two").waitFor();
    await page.getByText("Valid", { exact: true }).waitFor();
    const publishing = page.getByRole("button", { name: "Publish" });
    await publishing.click();
    const dialog = page.getByRole("dialog", { name: "Publish revision 2?" });
    await dialog.getByLabel("Reason").fill("By hand");
    await dialog.getByRole("button", { name: "Publish" }).click();
    const again = page.getByRole("dialog", { name: "Sign in again" });
    await again.getByText("This needs a recent sign-in.").waitFor();
    await again.getByRole("button", { name: "Sign in with a passkey" }).click();
    const row = (revision: string) =>
      page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: revision, exact: true }) });
    await row("2").getByText("In use").waitFor();
    await row("2").getByText("By hand").waitFor();

    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByText("This is the draft that owners share").waitFor();
    await editor.getByText("two").waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Look at revision 1" }).click();
    const back = page.getByRole("dialog", { name: "Revision 1" });
    await back.getByRole("button", { name: "Go back to revision 1" }).click();
    await back.getByText("Say why").waitFor();
    await expectAccessibleInBothSchemes(page, "going back");
    await back.getByLabel("Reason").fill("It was better");
    await back.getByRole("button", { name: "Go back to revision 1" }).click();
    await row("3").getByText("In use").waitFor();
    await row("3").getByText("It was better").waitFor();
  });

  test("where another owner has to approve it, they see what is proposed, and it is in use once they have", async () => {
    await owner.leave();
    await stage.stop();
    stage = await openStage(following({ SVC_CONFIG_SIGNING: "service", SVC_CONFIG_APPROVALS: "2" }));
    owner = await signedInAnew(stage, { viewport: { width: 1200, height: 800 } });
    await publish(1, "With connectors", {});
    await publish(2, "Other version", {});
    const page = await open();
    const row = (at: Page, revision: string) =>
      at.getByRole("row").filter({ has: at.getByRole("rowheader", { name: revision, exact: true }) });
    const proposeIn = async (why: string) => {
      await page.getByRole("button", { name: "Look at revision 1" }).click();
      const dialog = page.getByRole("dialog", { name: "Revision 1" });
      await dialog.getByLabel("Reason").fill(why);
      await dialog.getByRole("button", { name: "Propose to go back to revision 1" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await proposeIn("It was better\u202E");
    const own = page.getByRole("region", { name: "Proposed" });
    await own.getByText("You have proposed it").waitFor();
    expect(await own.getByRole("button", { name: "Approve" }).count()).toBe(0);

    const invited = { email: "bob@library.example", role: "owner" };
    const { link } = await request<{ readonly link: string }>(stage.server, owner, "POST", "/invitations", invited);
    const bob = await stage.stranger({ viewport: { width: 1200, height: 800 } });
    await bob.page.goto(link);
    await bob.page.getByRole("button", { name: "Accept with corp" }).click();
    await bob.page.getByLabel("Name").fill("bob");
    await bob.page.getByRole("button", { name: "Sign in" }).click();
    await heading(bob.page, "Overview").waitFor();
    await open(bob);
    const shown = bob.page.getByRole("region", { name: "Proposed" });
    await shown.getByText("ada@library.example").waitFor();
    await shown.getByText("U+202E").waitFor();
    expect(await shown.locator("ins").allTextContents()).toEqual(['version: "v1"']);
    expect(await shown.locator("del").allTextContents()).toEqual(['version: "v2"']);
    await expectAccessibleInBothSchemes(bob.page, "a proposal");
    await shot(bob.page, "proposal");
    await bob.page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(bob.page, "a proposal, narrow");
    await shot(bob.page, "proposal-narrow");
    await bob.page.setViewportSize({ width: 1200, height: 800 });
    await shown.getByRole("button", { name: "Approve" }).click();
    await row(bob.page, "3").getByText("In use").waitFor();
    await row(bob.page, "3").getByText("ada@library.example, approved by bob@library.example").waitFor();
    await shown.waitFor({ state: "detached" });
    await expectToFit(bob.page, "approved");

    await open();
    await proposeIn("Once more");
    await own.getByRole("button", { name: "Withdraw" }).click();
    await page.getByRole("button", { name: "Withdraw proposal" }).click();
    await own.waitFor({ state: "detached" });
    await bob.leave();
  });
});
