import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { checkText } from "../../../console/configuration-check/check.ts";
import { namedDocuments } from "../../../console/configuration-check/named-documents.ts";
import { expectAccessibleInBothSchemes } from "./support/axe.ts";
import { type DeploymentStub, stubDeployment } from "./support/deployment-stub.ts";
import { shot } from "./support/looks.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const MCP = "https://us.example.com/mcp";

const CONFIGURATION = `version: v1
http:
  publicURL: https://us.example.com
oidcProvider:
  region: us
  discovery:
    issuer: https://us.example.com
  keySecret: <countersign.key-secret>
  apiClients:
    idSecret: <countersign.id-secret>
mcpProvider:
  enabled: true
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: https://us.example.com/.well-known/oauth-authorization-server
          tokenValidation:
            method: jwt
            expectedAudiences: [${MCP}]
apps:
  - name: books
    type: mcpBridge
    openapi:
      spec:
        uri: file://books.json
`;
const DRAFT = `${CONFIGURATION}    authorization:
      inbound:
        cel: 'agent.clientID == "client_2"'
`;

const TOOLS = 2_000;
const API = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Books", version: "1" },
  servers: [{ url: "https://books.example.com" }],
  paths: Object.fromEntries(
    Array.from({ length: TOOLS }, (_, index) => [
      `/books${index}`,
      { get: { operationId: `list${index}`, responses: { 200: { description: "All." } } } },
    ]),
  ),
});

const CLIENTS = Array.from({ length: 200 }, (_, index) => ({
  ...{ clientId: `client_${index + 1}`, name: index === 0 ? "nightly import" : `client ${index + 1}` },
  ...{ description: "", scopes: [], resources: [MCP], keyPairs: [] },
  ...{ createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" },
}));

/** The text that lies behind the dialog does not scroll. */
const LARGE = { width: 1200, height: 1500 };

const FILES = { "file://books.json": API };

describe("trying a draft", () => {
  let stage: Stage;
  let owner: Visitor;
  let stub: DeploymentStub;
  /** Until then, API clients are not told. */
  let held = Promise.resolve();

  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner({ viewport: LARGE });
    const documents = namedDocuments({ files: FILES, mayFetch: false }, new Map(), () => undefined);
    const { artifact } = await checkText(CONFIGURATION, documents);
    if (artifact === undefined) throw new Error("It has mistakes.");
    // Addresses of documents are not in what was compiled.
    const { apps } = artifact.document as { readonly apps: unknown };
    stub = await stubDeployment(owner.page, { ...parse(CONFIGURATION), apps });
    stub.tools = { catalogs: artifact.catalogs };
    stub.draft = { text: DRAFT, version: 1, basedOn: 6 };
    await owner.page.route("**/api/v1/api-clients?**", async (route) => {
      await held;
      const search = new URL(route.request().url()).searchParams.get("search") ?? "";
      const items = CLIENTS.filter(({ name }) => name.includes(search));
      return route.fulfill({ json: search === "" ? { items, nextCursor: "more" } : { items } });
    });
  });
  afterAll(async () => {
    await owner?.leave().finally(() => stage.stop());
  });

  /** Gives the editor its document, and opens the dialog. */
  const open = async (): Promise<Page> => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/gateway/configuration/edit`);
    await heading(page, "Edit configuration").waitFor();
    await loaded(page);
    await page.getByRole("list", { name: "Documents" }).waitFor();
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name: "books.json", mimeType: "application/json", buffer: Buffer.from(API) });
    await page.getByText("Valid", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Try", exact: true }).press("Enter");
    return page;
  };
  const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Try the draft" });

  test("a call is explained with the draft and with what is in use, and what differs is told in words", async () => {
    const page = await open();
    const dialog = dialogOf(page);
    await dialog.getByLabel("Search").fill("nightly");
    await expect
      .poll(() => dialog.getByLabel("API client").locator("option").allTextContents())
      .toEqual(["nightly import"]);
    await dialog.getByLabel("Tool").fill("books_list7");
    await dialog.getByLabel("Tool").press("Enter");
    await dialog.getByText("With the draft, the call is denied. With what is in use, it is allowed.").waitFor();
    const rows = await dialog.getByRole("table", { name: "Steps of the decision" }).getByRole("row").allTextContents();
    expect(rows.filter((row) => row.startsWith("policy"))).toEqual([
      'policy: celNewdenieddenies the callagent.clientID == "client_2"No such step',
      "policyGoneNo such stepallowedthe app has none",
    ]);
    await expectAccessibleInBothSchemes(page, "an explained call");
    await shot(page, "trial-call");
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "an explained call, narrow");
    await shot(page, "trial-call-narrow");
    await page.setViewportSize(LARGE);
    await dialog.getByLabel("Caller", { exact: true }).selectOption("claims");
    await dialog.getByLabel("Claims of the token").fill("{");
    await dialog.getByRole("button", { name: "Explain", exact: true }).click();
    await dialog.getByText("The claims are no JSON").waitFor();
    await dialog
      .getByLabel("Claims of the token")
      .fill(JSON.stringify({ iss: "https://us.example.com", aud: MCP, sub: "ada", client_id: "client_2" }));
    await dialog.getByRole("button", { name: "Explain", exact: true }).click();
    await dialog.getByText("With the draft, the call is allowed. It is the same with what is in use.").waitFor();
    await shot(page, "trial-claims");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("200 API clients and 2,000 tools are compared, which can be stopped", async () => {
    const page = await open();
    const dialog = dialogOf(page);
    await dialog.getByRole("tab", { name: "Explain a call" }).press("ArrowRight");
    const compare = dialog.getByRole("button", { name: "Compare", exact: true });
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    await compare.click();
    await dialog.getByRole("button", { name: "Stop" }).click();
    await compare.waitFor();
    resolve();
    await compare.click();
    await dialog.getByText("Something changes for 199 of 200 API clients.").waitFor();
    await dialog.getByText("There are more than 200 API clients").waitFor();
    await dialog.getByText("Lost: 2,000 tools").click();
    await dialog.getByText("books_list49 (lists do not show it)").waitFor();
    await dialog.getByText("and 1,950 more tools").waitFor();
    await expectAccessibleInBothSchemes(page, "compared access");
    await shot(page, "trial-access");
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "compared access, narrow");
    await shot(page, "trial-access-narrow");
    await page.setViewportSize(LARGE);
  });

  test("without the tools of what is in use, the draft is tried alone", async () => {
    delete stub.tools;
    const page = await open();
    const dialog = dialogOf(page);
    await dialog.getByText("What is in use is too large").waitFor();
    await dialog.getByLabel("Tool").press("Enter");
    await dialog.getByText("With the draft, the call is denied.").waitFor();
    await dialog.getByRole("tab", { name: "Compare access" }).click();
    expect(await dialog.getByRole("button", { name: "Compare", exact: true }).isDisabled()).toBe(true);
    await shot(page, "trial-alone");
  });
});
