import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mcpClient } from "../../../examples/quickstart/mcp-client.ts";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { DATA, FOLDER, readPlan } from "../../policy/rego/documents.ts";
import { requestToken } from "./support/agent.ts";
import { type DeploymentStub, stubDeployment } from "./support/deployment-stub.ts";
import { withKeyboard } from "./support/hands.ts";
import { inEveryLook } from "./support/looks.ts";
import { loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { addKeyPair } from "./support/sample.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const WIDE = { width: 1200, height: 900 };

const CEL = 'request.mcp.tool.params.name != "addBook"';
const ROLES = readFileSync(join(FOLDER, "roles.rego"), "utf8");
/** What the instance has in use, as far as the page reads it: the tools and records are the instance's own. */
const DOCUMENT = {
  version: "v1",
  mcpProvider: { enabled: true },
  apps: [
    {
      ...{ name: "library", type: "mcpBridge", openapi: { spec: { uri: "file://openapi.yaml" } } },
      authorization: { inbound: { cel: CEL, rules: [{ opa: { name: "roles", rego: ROLES } }] } },
    },
    {
      ...{ name: "board", type: "mcpProxy", upstream: { stream: { url: "https://board.example/mcp" } } },
      authorization: { inbound: { opa: { url: "https://opa.example/v1/data/orchestrator/result" } } },
    },
  ],
};

describe("testing policies", () => {
  let stage: Stage;
  let owner: Visitor;
  let stub: DeploymentStub;
  let client: ApiClient;

  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner({ viewport: WIDE });
    const { server } = stage;
    const mcp = `${server.url}/mcp`;
    const body = { name: "reading room", scopes: ["library:read", "library:write"], resources: [mcp] };
    client = await request<ApiClient>(server, owner, "POST", "/api-clients", body);
    const { privateKey = "" } = await addKeyPair(server, owner, client);
    const gateway = mcpClient(mcp, await requestToken(server.url, { clientId: client.clientId, privateKey }, mcp));
    for (const query of ["sea", "whale"]) await gateway.callTool("library_searchBooks", { query });
    await gateway.callTool("library_getBook", { bookId: "book-1" });
    stub = await stubDeployment(owner.page, DOCUMENT);
    stub.tools = { catalogs: {}, policies: { library: { "rules[0].opa": { plan: readPlan("roles"), data: DATA } } } };
  });
  afterAll(async () => {
    await owner?.leave().finally(() => stage?.stop());
  });

  const open = async (): Promise<Page> => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/policies`);
    await heading(page, "Test policies").waitFor();
    await loaded(page);
    await page.getByRole("textbox", { name: "Expression, CEL" }).waitFor();
    return page;
  };
  const write = async (page: Page, text: string) => {
    await page.getByRole("textbox", { name: "Expression, CEL" }).click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(text);
    await page.getByText("Edited", { exact: true }).first().waitFor();
  };
  const compare = async (page: Page) => {
    await page.getByRole("button", { name: "Run against recorded calls" }).click();
    await page.getByText(/These are all 3 calls/).waitFor();
  };
  const counts = (page: Page) => page.locator("dl[aria-label='What changes'] > div").allTextContents();
  const rows = (page: Page, name: string) => page.getByRole("table", { name }).getByRole("row");

  test("with the keyboard alone: an edited expression denies what was allowed, and names the recorded calls", async () => {
    const { page } = owner;
    const hands = withKeyboard(page);
    await page.goto(`${stage.server.url}/console/`);
    await heading(page, "Overview").waitFor();
    await hands.press(page.getByRole("link", { name: "Test policies" }));
    await heading(page, "Test policies").waitFor();
    const editor = page.getByRole("textbox", { name: "Expression, CEL" });
    await expect.poll(() => editor.textContent()).toBe(CEL);
    await hands.write(editor, `${CEL} &&\n  request.mcp.tool.parms.name != "searchBooks"`);
    await page.getByText("1 mistake", { exact: true }).waitFor();
    expect(await page.getByRole("list", { name: "Mistakes and warnings" }).textContent()).toContain(
      'request.mcp.tool has no member "parms"; did you mean "params"?',
    );
    await inEveryLook(page, "policies-mistake");
    await hands.press(page.getByRole("button", { name: "Line 2" }));
    await expect.poll(() => editor.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.getByRole("button", { name: "Run against recorded calls" }).isDisabled()).toBe(true);
    await hands.write(editor, `${CEL} &&\n  request.mcp.tool.params.name != "searchBooks"`);
    await page.getByText("Valid", { exact: true }).waitFor();
    await hands.press(page.getByRole("button", { name: "Run against recorded calls" }));
    await page.getByText("These are all 3 calls of the app in the audit log.").waitFor();
    expect(await counts(page)).toEqual([
      ...["Would now be denied2", "Would now be allowed0", "The same1", "Cannot be told0"],
    ]);
    const changed = await rows(page, "Calls that change").allTextContents();
    expect(changed.slice(1).map((row) => row.startsWith("library_searchBooks"))).toEqual([true, true]);
    expect(changed[1]).toContain("reading room");
    await inEveryLook(page, "policies");
    await hands.press(page.getByRole("link", { name: "library_searchBooks" }).first());
    await heading(page, "Audit log").waitFor();
    await page.getByRole("dialog").getByText("tool.invoked").first().waitFor();
    expect(new URL(page.url()).searchParams.get("record")).toMatch(/^[0-9A-Z]{26}$/);
    await page.goBack();
    await expect.poll(() => editor.textContent()).toContain("searchBooks");
    await page.getByRole("button", { name: "Start again" }).click();
    await expect.poll(() => editor.textContent()).toBe(CEL);
  });

  test("what a record does not have is never guessed", async () => {
    const page = await open();
    await write(page, `request.mcp.tool.params.name == "getBook" || request.mcp.tool.params.arguments.query == "sea"`);
    await compare(page);
    expect(await counts(page)).toEqual([
      ...["Would now be denied0", "Would now be allowed0", "The same1", "Cannot be told2"],
    ]);
    const open2 = await rows(page, "Calls that cannot be told").allTextContents();
    await page.getByText("Records do not have what is read: request.mcp.tool.params.arguments (2).").waitFor();
    expect(open2[1]).toContain("Cannot be toldIt reads request.mcp.tool.params.arguments");
    await inEveryLook(page, "policies-unknown");
  });

  test("it can be stopped, and says how far it came", async () => {
    const page = await open();
    await write(page, "agent.clientID == 'nobody'");
    await page.getByText("Valid", { exact: true }).waitFor();
    const address = "**/api/v1/audit-events?**";
    const held = Promise.withResolvers<void>();
    await page.route(address, async (route) => {
      await held.promise;
      await route.abort();
    });
    await page.getByRole("button", { name: "Run against recorded calls" }).click();
    await page.getByText("Read 0 records, compared 0 calls").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("It was stopped after 0 calls.").waitFor();
    held.resolve();
    await page.unroute(address);
    await compare(page);
    expect((await counts(page))[0]).toBe("Would now be denied3");
  });

  test("an input begins with a caller and a tool, and is decided by both policies", async () => {
    const page = await open();
    const written = page.getByRole("region", { name: "A written input" });
    await write(page, `${CEL} && request.mcp.tool.params.arguments.query != "sea"`);
    await page.getByText("Valid", { exact: true }).waitFor();
    await written.getByLabel("API client").getByRole("option", { name: "reading room" }).waitFor({ state: "attached" });
    await written.getByLabel("Tool").selectOption("library_searchBooks");
    await written.getByRole("button", { name: "Begin with these" }).click();
    const input = JSON.parse(await written.getByLabel("Input").inputValue());
    expect(input).toMatchObject({
      request: { http: { method: "GET" }, mcp: { app: "library", tool: { params: { name: "searchBooks" } } } },
      agent: { clientID: client.clientId },
      token: { claims: { client_id: client.clientId, scope: "library:read library:write" } },
    });
    const answer = () => written.locator("dl").textContent();
    await written.getByRole("button", { name: "Evaluate" }).click();
    await expect.poll(answer).toBe("In useAllowedEditedError: deniedIt failed with no_such_key.");
    input.request.mcp.tool.params.arguments = { query: "sea" };
    await written.getByLabel("Input").fill(JSON.stringify(input, null, 2));
    await written.getByRole("button", { name: "Evaluate" }).click();
    await expect.poll(answer).toBe("In useAllowedEditedDenied");
    await inEveryLook(page, "policies-written");
    await written.getByLabel("Input").fill("{");
    await written.getByRole("button", { name: "Evaluate" }).click();
    await written.getByText("The input is no JSON").waitFor();
  });

  test("a policy in Rego is evaluated by its plan, with other data or another plan", async () => {
    const page = await open();
    await page.getByLabel("Policy", { exact: true }).selectOption("roles (Rego, in use)");
    const editor = page.getByRole("textbox", { name: "Policy, Rego" });
    await expect.poll(() => editor.textContent()).toContain("default result");
    await page.getByText("Evaluated: the plan in use").waitFor();
    const written = page.getByRole("region", { name: "A written input" });
    await written.getByLabel("Tool").selectOption("library_getBook");
    await written.getByRole("button", { name: "Begin with these" }).click();
    const input = JSON.parse(await written.getByLabel("Input").inputValue());
    input.user = { sub: "ada", roles: ["reader"] };
    input.request.mcp.tool.params.name = "getNote";
    await written.getByLabel("Input").fill(JSON.stringify(input));
    await page.getByLabel("Data").fill('{"grants": {"editor": ["getNote"]}}');
    await page.getByText("Valid", { exact: true }).waitFor();
    await written.getByRole("button", { name: "Evaluate" }).click();
    await expect
      .poll(() => written.locator("dl").textContent())
      .toBe("In useAllowedEditedDeniedThe agent is told: getNote needs one of: editor");
    const choose = (name: string, content: string) =>
      page
        .locator("input[type=file]")
        .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
    await choose("plan.json", '{"plans": 1}');
    await page.getByText("1 mistake", { exact: true }).waitFor();
    await page.getByText(/it must be what "opa build -t plan" writes/).waitFor();
    await choose("arguments.json", readFileSync(join(FOLDER, "arguments.plan"), "utf8"));
    await page.getByText("Evaluated: arguments.json").waitFor();
    await page.getByText("Valid", { exact: true }).waitFor();
    await compare(page);
    expect((await counts(page)).at(-1)).toBe("Cannot be told3");
    await inEveryLook(page, "policies-rego");
  });

  test("the edited text takes its place in the draft, which the editor shows", async () => {
    const page = await open();
    expect(await page.getByRole("button", { name: "Use in the draft" }).isDisabled()).toBe(true);
    await write(page, "agent.clientID != 'x'");
    await page.getByRole("button", { name: "Use in the draft" }).click();
    await heading(page, "Edit configuration").waitFor();
    expect(stub.draft?.text).toContain("cel: agent.clientID != 'x'\n");
    expect(stub.draft).toMatchObject({ version: 1, basedOn: 6 });
    await page.getByText("This is the draft that owners share").waitFor();
    stub.draft = undefined;
  });

  test("where no configuration is published, expressions in use are those that explanations have", async () => {
    const visitor = await stage.owner({ viewport: WIDE });
    try {
      const { page } = visitor;
      await page.goto(`${stage.server.url}/console/policies`);
      await page.getByText("The instance follows no published configuration").waitFor();
      await page.getByLabel("App").selectOption("board");
      const editor = page.getByRole("textbox", { name: "Expression, CEL" });
      await expect.poll(() => editor.textContent()).toContain('request.mcp.tool.params.name != "postNotice"');
      expect(await page.getByLabel("Policy", { exact: true }).inputValue()).toBe("cel");
      expect(await page.getByRole("button", { name: "Use in the draft" }).count()).toBe(0);
      await page.getByText("Valid", { exact: true }).waitFor();
      const written = page.getByRole("region", { name: "A written input" });
      await written.getByLabel("Tool").fill("postNotice");
      await written.getByRole("button", { name: "Begin with these" }).click();
      expect(await written.getByLabel("Input").inputValue()).toContain('"name": "postNotice"');
      await inEveryLook(page, "policies-unpublished");
    } finally {
      await visitor.leave();
    }
  });

  test("servers of policies are named, and a new expression is compared with none", async () => {
    const page = await open();
    await page.getByLabel("App").selectOption("board");
    await page.getByText("Also decide, and are not evaluated here: opa.").waitFor();
    await page.getByRole("textbox", { name: "Expression, CEL" }).waitFor();
    await page.getByText("Valid", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Run against recorded calls" }).click();
    await page.getByText("These are all 0 calls of the app in the audit log.").waitFor();
  });
});
