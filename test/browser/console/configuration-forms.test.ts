import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { expectAccessibleInBothSchemes } from "./support/axe.ts";
import { type DeploymentStub, stubDeployment } from "./support/deployment-stub.ts";
import { withKeyboard } from "./support/hands.ts";
import { shot } from "./support/looks.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const CONFIGURATION = `version: v1
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

const OPENAPI = "https://books.example.com/openapi.json";
const ok = { 200: { description: "Done." } };
const API = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Books", version: "1" },
  servers: [{ url: "https://books.example.com/v1" }],
  components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
  paths: {
    "/books": {
      get: { operationId: "listBooks", summary: "Lists all books", responses: ok },
      trace: { operationId: "traceBooks", responses: ok },
    },
    "/books/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { operationId: "getBook", summary: "One book", responses: ok },
      delete: { operationId: "deleteBook", summary: "Deletes a book for ever", responses: ok },
    },
  },
});

const LOCAL = "http://localhost:8081/openapi.json";
const BOARD = "https://board.example.com/mcp";
const EDITOR = "Configuration, YAML";

describe("forms of the configuration editor", () => {
  let stage: Stage;
  let owner: Visitor;
  let stub: DeploymentStub;

  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner({ viewport: { width: 1200, height: 900 } });
    stub = await stubDeployment(owner.page, parse(CONFIGURATION));
    stub.documents[OPENAPI] = API;
    stub.servers[BOARD] = (headers) =>
      headers?.Authorization !== "Bearer once"
        ? { outcome: "unauthorized" }
        : {
            ...{
              outcome: "answered",
              name: "board",
              version: "2",
              title: "Notice board",
              protocolVersion: "2025-06-18",
            },
            tools: [
              { name: "listNotices", title: "All notices", annotations: { readOnlyHint: true } },
              { name: "postNotice", description: "Puts one up." },
            ],
            ...{ prompts: 0, resources: 3 },
          };
  });
  afterAll(async () => {
    await owner?.leave().finally(() => stage.stop());
  });

  const open = async (query = ""): Promise<Page> => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/gateway/configuration/edit${query}`);
    await heading(page, "Edit configuration").waitFor();
    await loaded(page);
    await page.getByRole("textbox", { name: EDITOR }).waitFor();
    return page;
  };
  /** The text as it is saved. */
  const saved = async (page: Page): Promise<string> => {
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("Draft saved").first().waitFor();
    await page.getByText("Draft saved").first().waitFor({ state: "hidden" });
    return stub.draft?.text ?? "";
  };
  /** In both colour schemes, and where it is narrow. */
  const look = async (page: Page, state: string) => {
    await shot(page, state);
    await expectAccessibleInBothSchemes(page, state);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, `${state}, narrow`);
    await shot(page, `${state}-narrow`);
    await page.setViewportSize({ width: 1200, height: 900 });
  };
  const hasFocus = (target: Locator) => target.evaluate((element) => element === document.activeElement);

  test("a REST API is added from the URL of its document, with the keyboard alone", async () => {
    const page = await open();
    const hands = withKeyboard(page);
    const opener = page.getByRole("button", { name: "Add a REST API" });
    await hands.press(opener);
    const dialog = page.getByRole("dialog", { name: "Add a REST API" });
    const url = dialog.getByLabel("URL of the OpenAPI document");
    await url.waitFor();
    await hands.write(url, "https://books.example.com/nothing");
    await page.keyboard.press("Enter");
    await dialog.getByText("The host answered 404.").waitFor();
    await hands.write(url, OPENAPI);
    await page.keyboard.press("Enter");
    await dialog.getByText("Tools, 3 of 3").waitFor();
    expect(await dialog.getByLabel("Name of the app").inputValue()).toBe("books");
    expect(await dialog.getByLabel("URL of the API").inputValue()).toBe("https://books.example.com/v1");
    await hands.tick(dialog.getByRole("checkbox", { name: "deleteBook" }));
    await dialog.getByText("Tools, 2 of 3").waitFor();
    await dialog.getByText("1 operation is no tool").click();
    await dialog.getByLabel("Credentials of calls").selectOption({ label: "API key, key" });
    await hands.press(dialog.getByRole("button", { name: "Add", exact: true }));
    await dialog.getByText("Enter a reference such as").waitFor();
    await hands.write(dialog.getByLabel("Reference to the secret"), "<books.key>");
    await look(page, "rest-api");
    await hands.press(dialog.getByRole("button", { name: "Add", exact: true }));
    await dialog.getByText("The checks warn of it").waitFor();
    await shot(page, "rest-api-warned");
    await hands.press(dialog.getByRole("button", { name: "Add it all the same" }));
    await dialog.waitFor({ state: "detached" });
    expect(await hasFocus(opener)).toBe(true);
    await page.getByText("2 tools", { exact: true }).waitFor();
    const text = await saved(page);
    expect(text.startsWith(CONFIGURATION)).toBe(true);
    expect(parse(text.slice(CONFIGURATION.length))).toEqual({
      mcpProvider: { enabled: true },
      apps: [
        {
          ...{ name: "books", type: "mcpBridge" },
          openapi: { spec: { uri: OPENAPI }, exclude: ["DELETE /books/{id}"] },
          upstream: { auth: { key: { value: "<books.key>" } } },
        },
      ],
    });
    await page.getByRole("textbox", { name: EDITOR }).click();
    await page.keyboard.press("ControlOrMeta+z");
    await page.getByText("The text has none.").waitFor();
    await page.keyboard.press("ControlOrMeta+Shift+z");
  });

  test("a document that the instance cannot read is chosen as a file", async () => {
    stub.draft = undefined;
    const page = await open();
    await page.getByRole("button", { name: "Add a REST API" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a REST API" });
    await dialog.getByLabel("URL of the OpenAPI document").fill("http://books.example.com");
    await dialog.getByRole("button", { name: "Read document" }).click();
    await dialog.getByText("Enter a URL that begins with https://").waitFor();
    await dialog
      .locator("xpath=..")
      .locator("input[type=file]")
      .first()
      .setInputFiles({
        name: "no books.json",
        mimeType: "application/json",
        buffer: Buffer.from('{"openapi":"3.1.0"}'),
      });
    await dialog.getByText("The document cannot be used").waitFor();
    expect(await dialog.getByLabel("URL of the OpenAPI document").inputValue()).toBe("");
    expect(await dialog.getByText("Enter a URL that begins with https://").count()).toBe(0);
    await shot(page, "rest-api-unusable");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await hasFocus(page.getByRole("button", { name: "Add a REST API" }))).toBe(true);
  });

  test("a link opens the form; an API of the instance's own machine is named by its title, and says who may call it", async () => {
    stub.draft = undefined;
    stub.documents[LOCAL] = API;
    const page = await open("?add=rest-api");
    const dialog = page.getByRole("dialog", { name: "Add a REST API" });
    await dialog.getByLabel("URL of the OpenAPI document").fill(LOCAL);
    await dialog.getByRole("button", { name: "Read document" }).click();
    await dialog.getByText("Tools, 3 of 3").waitFor();
    expect(await dialog.getByLabel("Name of the app").inputValue()).toBe("books");
    await dialog.getByLabel("Scopes that callers need").fill('books:"read"');
    await dialog.getByLabel("People whose agents may call").selectOption({ label: "Whoever signs in" });
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.getByText("neither quotes nor backslashes").waitFor();
    await dialog.getByLabel("Scopes that callers need").fill(" books:read  books:write ");
    await look(page, "rest-api-callers");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.getByRole("button", { name: "Add it all the same" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("");
    expect(parse((await saved(page)).slice(CONFIGURATION.length))).toMatchObject({
      apps: [
        {
          name: "books",
          openapi: { spec: { uri: "file://localhost-8081-openapi.json" } },
          authorization: {
            inbound: { members: "any", tools: [{ name: "/.*/", scopes: ["books:read", "books:write"] }] },
          },
        },
      ],
    });
  });

  test("an MCP server that asks for credentials is looked at with a token that nobody keeps, and added", async () => {
    stub.draft = undefined;
    const page = await open();
    const hands = withKeyboard(page);
    const opener = page.getByRole("button", { name: "Add an MCP server" });
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Add an MCP server" });
    await hands.write(dialog.getByLabel("URL of the MCP server"), BOARD);
    await hands.press(dialog.getByRole("button", { name: "Look at its tools" }));
    await dialog.getByText("The server asks for credentials").waitFor();
    await hands.write(dialog.getByLabel("Token for this look"), "once");
    await hands.press(dialog.getByRole("button", { name: "Look at its tools" }));
    await dialog.getByText("Notice board 2: 2 tools, 0 prompts, 3 resources.").waitFor();
    expect(await dialog.getByLabel("Name of the app").inputValue()).toBe("board");
    await hands.tick(dialog.getByRole("checkbox", { name: "postNotice" }));
    await dialog.getByLabel("Credentials of calls").selectOption({ label: "Bearer token in Authorization" });
    await hands.write(dialog.getByLabel("Reference to the secret"), "a-secret-itself");
    await hands.press(dialog.getByRole("button", { name: "Add", exact: true }));
    await dialog.getByText("Enter a reference such as").waitFor();
    await hands.write(dialog.getByLabel("Reference to the secret"), "{{ env.BOARD_TOKEN }}");
    await look(page, "mcp-server");
    await hands.press(dialog.getByRole("button", { name: "Add", exact: true }));
    await hands.press(dialog.getByRole("button", { name: "Add it all the same" }));
    await dialog.waitFor({ state: "detached" });
    expect(await hasFocus(opener)).toBe(true);
    const text = await saved(page);
    expect(text).not.toContain("once");
    expect(parse(text.slice(CONFIGURATION.length))).toEqual({
      mcpProvider: { enabled: true },
      apps: [
        {
          ...{ name: "board", type: "mcpProxy" },
          upstream: { stream: { url: BOARD }, headers: { Authorization: "Bearer {{ env.BOARD_TOKEN }}" } },
          tools: { exclude: ["postNotice"] },
        },
      ],
    });
    expect(stub.looks).toEqual([
      { url: BOARD, transport: "stream" },
      { url: BOARD, transport: "stream", headers: { Authorization: "Bearer once" } },
    ]);
  });

  test("tools of an app are turned off, renamed and given scopes, and back", async () => {
    const before = `${CONFIGURATION}mcpProvider: { enabled: true }
apps:
  # Our books.
  - name: books # the first
    type: mcpBridge
    openapi:
      spec: { uri: "file://books.json" }
`;
    stub.draft = { text: before, version: 1 };
    const page = await open();
    const hands = withKeyboard(page);
    await page.getByRole("list", { name: "Documents" }).getByText("Missing").waitFor();
    await page
      .locator("input[type=file]")
      .last()
      .setInputFiles({ name: "books.json", mimeType: "application/json", buffer: Buffer.from(API) });
    await page.getByText("3 tools", { exact: true }).waitFor();
    const opener = page.getByRole("button", { name: "Tools of books" });
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Tools of books" });
    await hands.tick(dialog.getByRole("checkbox", { name: "deleteBook" }));
    await hands.press(dialog.getByRole("button", { name: "Settings of getBook" }));
    await hands.write(dialog.getByLabel("Name"), "listBooks");
    await hands.write(dialog.getByLabel("Scopes that callers need"), "books:read books:one");
    await hands.press(dialog.getByRole("button", { name: "Apply", exact: true }));
    await dialog.getByText("It would be a mistake").waitFor();
    await look(page, "tools");
    await hands.write(dialog.getByLabel("Name"), "one_book");
    await hands.press(dialog.getByRole("button", { name: "Apply", exact: true }));
    await dialog.waitFor({ state: "detached" });
    expect(await hasFocus(opener)).toBe(true);
    expect(await saved(page)).toBe(`${before}      exclude:
        - DELETE /books/{id}
      overrides:
        getBook:
          name: one_book
    authorization:
      inbound:
        tools:
          - name: one_book
            scopes:
              - books:read
              - books:one
          - name: /.*/
            scopes: []
`);
    await page.getByText("2 tools", { exact: true }).waitFor();
    await opener.click();
    await dialog.getByRole("checkbox", { name: "deleteBook" }).check();
    await dialog.getByRole("button", { name: "Settings of one_book" }).click();
    await dialog.getByLabel("Name").fill("");
    await dialog.getByLabel("Scopes that callers need").fill("");
    await dialog.getByRole("button", { name: "Apply", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await saved(page)).toBe(before);
  });

  test("limits and connectors are added, changed and removed, with the keyboard alone", async () => {
    const before = `${CONFIGURATION}limits:
  - name: reads # of all
    rate: 100/s
    unavailable: allow
`;
    stub.draft = { text: before, version: 1 };
    const page = await open();
    const hands = withKeyboard(page);
    const text = (label: string) => dialog.getByLabel(label, { exact: true });
    await hands.press(page.getByRole("button", { name: "Change reads" }));
    let dialog = page.getByRole("dialog", { name: "Change reads" });
    expect(await text("Rate").inputValue()).toBe("100/s");
    await hands.write(text("Rate"), "often");
    await hands.press(dialog.getByRole("button", { name: "Apply", exact: true }));
    await dialog.getByText("It would be a mistake").waitFor();
    await look(page, "limit");
    await hands.write(text("Rate"), "50/s");
    await hands.press(dialog.getByRole("button", { name: "Apply", exact: true }));
    await dialog.waitFor({ state: "detached" });

    await hands.press(page.getByRole("button", { name: "Add a connector" }));
    dialog = page.getByRole("dialog", { name: "Add a connector" });
    await hands.press(dialog.getByRole("button", { name: "Add", exact: true }));
    await dialog.getByText("Enter a name.").waitFor();
    await hands.write(text("Name"), "corp");
    await hands.write(text("URL of the discovery document"), "https://id.example.com/.well-known/openid-configuration");
    await hands.write(text("Client ID"), "countersign");
    await hands.write(text("Reference to the client secret"), "hunter2");
    await hands.press(dialog.getByRole("button", { name: "Add", exact: true }));
    await dialog.getByText("Enter a reference such as").waitFor();
    await look(page, "connector");
    await hands.write(text("Reference to the client secret"), "<corp.secret>");
    await hands.press(dialog.getByRole("button", { name: "Add", exact: true }));
    await dialog.waitFor({ state: "detached" });
    const added = `connectors:
  - name: corp
    type: oidc
    oidcWellKnownURL: https://id.example.com/.well-known/openid-configuration
    oauthClientID: countersign
    oauthClientSecret: <corp.secret>
    scopes:
      - openid
      - profile
      - email
`;
    const changed = before.replace("100/s", "50/s");
    expect(await saved(page)).toBe(changed + added);

    await page.getByRole("list", { name: "Connectors" }).waitFor();
    await hands.press(page.getByRole("button", { name: "Change corp" }));
    dialog = page.getByRole("dialog", { name: "Change corp" });
    await dialog.getByText("It is the last connector").waitFor();
    await look(page, "last-connector");
    await hands.press(dialog.getByRole("button", { name: "Remove from the text" }));
    await dialog.waitFor({ state: "detached" });
    expect(await saved(page)).toBe(changed);
  });
});
