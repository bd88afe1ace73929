import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { checkText } from "../../../console/configuration-check/check.ts";
import { namedDocuments } from "../../../console/configuration-check/named-documents.ts";
import { run } from "../../../infra/node/commands/validate.ts";
import { shownDocument } from "../../../lib/deployment/document.ts";
import { expectAccessibleInBothSchemes } from "./support/axe.ts";
import { hold } from "./support/bad-server.ts";
import { type DeploymentStub, stubDeployment } from "./support/deployment-stub.ts";
import { shot } from "./support/looks.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const CONFIGURATION = `version: v1
logger:
  level: info
http:
  address: 127.0.0.1:8080
  publicURL: https://us.example.com
console:
  enabled: true
oidcProvider:
  region: us
  discovery:
    issuer: https://us.example.com
  keySecret: <countersign.key-secret>
  apiClients:
    idSecret: <countersign.id-secret>
`;

const API = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Books", version: "1" },
  servers: [{ url: "https://books.example.com" }],
  paths: { "/books": { get: { operationId: "listBooks", responses: { 200: { description: "All." } } } } },
});

const APP = `mcpProvider:
  enabled: true
apps:
  - name: books
    type: mcpBridge
    openapi:
      spec:
        uri: file://books.json
`;

const EDITOR = "Configuration, YAML";

describe("editing the configuration", () => {
  let stage: Stage;
  let owner: Visitor;
  let stub: DeploymentStub;

  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner({ viewport: { width: 1200, height: 900 } });
    stub = await stubDeployment(owner.page, parse(CONFIGURATION));
  });
  afterAll(async () => {
    await owner?.leave().finally(() => stage.stop());
  });

  const open = async (): Promise<Page> => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/gateway/configuration/edit`);
    await heading(page, "Edit configuration").waitFor();
    await loaded(page);
    await page.getByRole("textbox", { name: EDITOR }).waitFor();
    return page;
  };
  /** Pastes a text in the place of all that is there. */
  const write = async (page: Page, text: string) => {
    const editor = page.getByRole("textbox", { name: EDITOR });
    await editor.click();
    await page.keyboard.press("ControlOrMeta+a");
    await editor.evaluate((element, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  };

  test("a mistake stands at its line in the words of the command", async () => {
    const page = await open();
    await page.getByText("Valid", { exact: true }).waitFor();
    const mistaken = CONFIGURATION.replace("level: info", "level: verbose\n  colour: true");
    await write(page, mistaken);
    const messages = page.getByRole("list", { name: "Mistakes and warnings" });
    await messages.waitFor();
    await page.getByText("2 mistakes").waitFor();
    const shown = await messages.getByRole("listitem").allTextContents();
    expect(shown).toEqual((await wordsOfCommand(mistaken)).map((words) => `Line ${words}`));
    await page.locator(".cm-lint-marker-error").first().waitFor();
    await shot(page, "mistakes");
    await expectAccessibleInBothSchemes(page, "mistakes");
    await page.emulateMedia({ colorScheme: "dark" });
    await shot(page, "mistakes-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "mistakes, narrow");
    await shot(page, "mistakes-narrow");
    await page.setViewportSize({ width: 1200, height: 900 });
    await messages.getByRole("button", { name: "Line 3" }).click();
    await page.keyboard.type("#");
    await page.getByRole("textbox", { name: EDITOR }).getByText("#verbose").waitFor();
  });

  test("keys are offered with what they are for, and the keyboard leaves the editor", async () => {
    const page = await open();
    await write(page, CONFIGURATION);
    await page.keyboard.type("limi");
    const offered = page.getByRole("option", { name: "limits", exact: false });
    await offered.waitFor();
    await shot(page, "completion");
    await page.getByRole("listbox", { name: "Completions" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("logger:");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("level: de");
    await page.getByRole("option", { name: "debug" }).click();
    await page.getByRole("textbox", { name: EDITOR }).getByText("debug").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(await page.getByRole("textbox", { name: EDITOR }).evaluate((one) => one === document.activeElement)).toBe(
      false,
    );
    await page.getByText("logger", { exact: true }).hover();
    await page.locator(".cm-help").waitFor();
    await shot(page, "hover");
  });

  test("a document that is missing is added by the person", async () => {
    const page = await open();
    await write(page, CONFIGURATION + APP);
    const documents = page.getByRole("list", { name: "Documents" });
    await documents.getByText("Missing").waitFor();
    await page.getByText("cannot be read: the browser does not have this file").first().waitFor();
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles({
        ...{ name: "books.json", mimeType: "application/json", buffer: Buffer.from(API) },
      });
    await documents.getByText("Added").waitFor();
    await page.getByText("1 tool", { exact: true }).waitFor();
    await shot(page, "documents");
  });

  test("what somebody else has published can be changed without its documents, as long as its tools stay", async () => {
    const documents = namedDocuments(
      { files: { "file://books.json": API }, mayFetch: false },
      new Map(),
      () => undefined,
    );
    const { artifact } = await checkText(CONFIGURATION + APP, documents);
    if (artifact === undefined) throw new Error("It has mistakes.");
    stub.document = shownDocument(artifact).document;
    stub.tools = { catalogs: artifact.catalogs };
    const page = await open();
    const list = page.getByRole("list", { name: "Documents" });
    await list.getByText("As in use").waitFor();
    await page.getByText("Valid", { exact: true }).waitFor();
    await page.getByText("1 tool", { exact: true }).waitFor();
    await shot(page, "as-in-use");
    await expectAccessibleInBothSchemes(page, "a document as in use");
    await write(page, CONFIGURATION + APP.replace("    openapi:\n", "    openapi:\n      exclude: [nothing]\n"));
    await list.getByText("Missing").waitFor();
    stub.document = parse(CONFIGURATION);
    stub.tools = undefined;
  });

  test("a document of another host is fetched when the person says so, and a check is stopped while it waits", async () => {
    const page = await open();
    const asked: (() => Promise<void>)[] = [];
    await page.route("https://books.example.com/openapi.json", (route) => {
      const headers = { "access-control-allow-origin": "*" };
      asked.push(() => route.fulfill({ headers, contentType: "application/json", body: API }));
    });
    await write(page, CONFIGURATION + APP.replace("file://books.json", "https://books.example.com/openapi.json"));
    const documents = page.getByRole("list", { name: "Documents" });
    await documents.getByText("Missing").waitFor();
    expect(asked).toEqual([]);
    await page.getByRole("button", { name: "Fetch from their hosts" }).click();
    await expect.poll(() => asked.length).toBe(1);
    await page.getByText("Checking https://books.example.com/openapi.json").waitFor();
    await shot(page, "checking");
    await expectAccessibleInBothSchemes(page, "checking");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("The check was stopped.").waitFor();
    await shot(page, "stopped");
    await page.getByRole("button", { name: "Check again" }).click();
    await expect.poll(() => asked.length).toBe(2);
    await asked[1]?.();
    await documents.getByText("Fetched").waitFor();
    await page.getByText("1 tool", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Fetch from their hosts" }).count()).toBe(0);
  });

  test("the text is saved as a file, and compared with what is in use", async () => {
    const page = await open();
    const changed = CONFIGURATION.replace("level: info", "level: debug");
    await write(page, changed);
    await page.getByText("Valid", { exact: true }).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe("countersign.yaml");
    expect(await readFile(await saved.path(), "utf8")).toBe(changed);
    await page.getByRole("button", { name: "Compare" }).click();
    const dialog = page.getByRole("dialog", { name: "Compared with what is in use" });
    await dialog.locator("ins").first().waitFor();
    expect(await dialog.locator("del, ins").allTextContents()).toEqual([
      'logger.level: "info"',
      'logger.level: "debug"',
    ]);
    await expectAccessibleInBothSchemes(page, "comparing");
    await shot(page, "compare");
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
  });

  test("a draft that a slow server does not take before it goes away stays in the editor, and is saved when it is back", async () => {
    const page = await open();
    await write(page, `${CONFIGURATION}# on a train\n`);
    const save = page.getByRole("button", { name: "Save draft" });
    const held = await hold(page, "PUT", "/api/v1/deployment/draft");
    await save.click();
    await page.locator("button[data-loading]").filter({ hasText: "Save draft" }).waitFor();
    await held.drop();
    const problem = page.getByRole("alert").getByText("The server cannot be reached.");
    await problem.waitFor();
    await page.getByRole("textbox", { name: EDITOR }).getByText("# on a train").waitFor();
    await held.release();
    await save.click();
    await page.getByText("Draft saved").first().waitFor();
    await problem.waitFor({ state: "detached" });
    expect(stub.draft?.text).toBe(`${CONFIGURATION}# on a train\n`);
    stub.draft = undefined;
  });

  test("a draft is saved, and one of somebody else is not lost", async () => {
    const page = await open();
    await write(page, `${CONFIGURATION}# mine\n`);
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("Draft saved").first().waitFor();
    expect(stub.draft?.text).toBe(`${CONFIGURATION}# mine\n`);
    stub.draft = { text: `${CONFIGURATION}# theirs\n`, version: 7 };
    await write(page, `${CONFIGURATION}# mine again\n`);
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("Somebody else has saved the draft").waitFor();
    await page.getByRole("button", { name: "Read theirs" }).click();
    await page.getByRole("textbox", { name: EDITOR }).getByText("# theirs").waitFor();
    stub.draft = { text: `${CONFIGURATION}# theirs\n`, version: 7, basedOn: 5 };
    await open();
    await page.getByText("It was begun with revision 5").waitFor();
    await shot(page, "draft");
    await page.getByRole("button", { name: "Discard draft" }).click();
    const asked = page.getByRole("dialog", { name: "Discard the draft?" });
    await asked.getByRole("button", { name: "Discard draft" }).click();
    await asked.waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: EDITOR }).getByText("# theirs").waitFor({ state: "detached" });
    expect(stub.draft).toBeUndefined();
  });

  test("publishing shows what changes and takes the words for what it takes away", async () => {
    const page = await open();
    await write(page, CONFIGURATION.replace("enabled: true", "enabled: false"));
    await page.getByText("Valid", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Publish" }).click();
    const dialog = page.getByRole("dialog", { name: "Publish revision 7?" });
    await dialog.getByText("turns the Console and the management API off").waitFor();
    await dialog.getByText("1 key: 1 changed.").waitFor();
    expect(await dialog.locator("ins").allTextContents()).toEqual(["console.enabled: false"]);
    await expectAccessibleInBothSchemes(page, "publishing");
    await shot(page, "publish");
    await dialog.getByLabel("Reason").fill("Not needed");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await dialog.getByText("These words say that you mean it.").waitFor();
    expect(stub.published).toEqual([]);
    await dialog.getByLabel("no-console").fill("no-console");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await heading(page, "Configuration").waitFor();
    expect(stub.published).toMatchObject([
      { revision: 7, reason: "Not needed", force: ["no-console"], restart: false, artifact: expect.any(String) },
    ]);
    expect(JSON.parse(String(stub.published[0]?.artifact))).toMatchObject({ format: 1 });
  });

  test("where another owner has to approve it, it is proposed", async () => {
    stub.approvals = 2;
    const page = await open();
    await write(page, `${CONFIGURATION}# proposed\n`);
    await page.getByText("Valid", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Propose" }).click();
    const dialog = page.getByRole("dialog", { name: "Propose revision 7?" });
    await dialog.getByText("Another owner than you has to approve it within seven days").waitFor();
    await expectAccessibleInBothSchemes(page, "proposing");
    await shot(page, "propose");
    const before = stub.published.length;
    await dialog.getByRole("button", { name: "Propose" }).click();
    await heading(page, "Configuration").waitFor();
    expect(stub.published.slice(before)).toMatchObject([{ revision: 7, force: [], artifact: expect.any(String) }]);
    await expect.poll(() => stub.draft).toMatchObject({ text: `${CONFIGURATION}# proposed\n`, basedOn: 6 });
    stub.approvals = 1;
    stub.draft = undefined;
  });

  test("where an operator signs, there is the command and no button", async () => {
    stub.signing = "operator";
    const page = await open();
    await page.getByText("countersign publish -config countersign.yaml -deployment production").waitFor();
    expect(await page.getByRole("button", { name: "Publish" }).count()).toBe(0);
    await expectAccessibleInBothSchemes(page, "with an operator");
    await shot(page, "operator");
    stub.signing = "service";
  });
});

/** What the command prints, as the page shows it: line, what it is, path and message. */
async function wordsOfCommand(text: string): Promise<readonly string[]> {
  const file = join(tmpdir(), `countersign-editor-${process.pid}.yaml`);
  await writeFile(file, text);
  const lines = await run(["-config", file], {
    stdout: () => undefined,
    stderr: () => undefined,
    environment: {},
  } as never)
    .then(() => [])
    .catch((error: Error) => error.message.split("\n"));
  return lines.map((line) => line.replace(`${file}:`, "").replace(/^(\d+):\d+: /, "$1Mistake: "));
}
