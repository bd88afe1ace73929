import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { createSigner, issueToken, type Owner } from "../../behaviour/fixture.ts";
import { bearer, mcpURL } from "../../behaviour/gateway-fixture.ts";
import { node } from "../../runtimes/node.ts";
import { type DocumentServer, openDocumentServer } from "../../support/document-server.ts";
import { freePort } from "../../support/free-port.ts";
import type { RunningRegion, RuntimeUnderTest } from "../../support/runtime.ts";
import { type Hands, withKeyboard } from "./support/hands.ts";
import { shot } from "./support/looks.ts";
import { loaded } from "./support/pages.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

let api: DocumentServer;
let board: { readonly url: string; stop(): Promise<void> };
let folder: string;
let stage: Stage;
let owner: Visitor;
let region: RunningRegion;

beforeAll(async () => {
  [api, board, folder] = await Promise.all([
    openDocumentServer(["localhost"]),
    startNotices(),
    mkdtemp(join(tmpdir(), "countersign-first-tools-")),
  ]);
  const url = `https://localhost:${api.port}`;
  api.serve(`${url}/openapi.json`, {
    ...{ openapi: "3.1.0", info: { title: "Books", version: "1" }, servers: [{ url }] },
    paths: { "/books": { get: { operationId: "listBooks", responses: { 200: { description: "All of them." } } } } },
  });
  api.serve(`${url}/books`, { books: ["Middlemarch"] });
  const authority = join(folder, "authority.pem");
  await writeFile(authority, api.ca);
  stage = await openStage(emptyGateway(authority));
  owner = await stage.owner({ viewport: { width: 360, height: 740 } });
});
afterAll(async () => {
  await owner?.leave();
  await stage?.stop();
  await Promise.all([api?.close(), board?.stop(), rm(folder, { recursive: true })]);
});

test("with the keyboard alone, on a telephone: who has an empty gateway adds an API and an MCP server, and agents call them", async () => {
  const page = await edit();
  const hands = withKeyboard(page);
  await hands.press(page.getByRole("button", { name: "Add a REST API" }));
  const rest = page.getByRole("dialog", { name: "Add a REST API" });
  await hands.write(rest.getByLabel("URL of the OpenAPI document"), `https://localhost:${api.port}/openapi.json`);
  await hands.press(rest.getByRole("button", { name: "Read document" }));
  await rest.getByText("Tools, 1 of 1").waitFor();
  await hands.write(rest.getByLabel("Name of the app"), "books");
  await add(hands, rest);

  await hands.press(page.getByRole("button", { name: "Add an MCP server" }));
  const mcp = page.getByRole("dialog", { name: "Add an MCP server" });
  await hands.write(mcp.getByLabel("URL of the MCP server"), board.url);
  await hands.press(mcp.getByRole("button", { name: "Look at its tools" }));
  await mcp.getByText("1 tool", { exact: false }).first().waitFor();
  await hands.write(mcp.getByLabel("Name of the app"), "board");
  await add(hands, mcp);

  await page.getByText("Valid", { exact: true }).waitFor();
  await shot(page, "first-tools");
  await hands.press(page.getByRole("button", { name: "Publish" }));
  const publish = page.getByRole("dialog", { name: "Publish revision 1?" });
  await hands.write(publish.getByLabel("Reason"), "The first tools");
  await hands.press(publish.getByRole("button", { name: "Publish" }));
  const again = page.getByRole("dialog", { name: "Sign in again" });
  await hands.press(again.getByRole("button", { name: "Sign in with a passkey" }));
  await page.getByRole("row").filter({ hasText: "The first tools" }).getByText("In use").waitFor();

  const client = await agent();
  const said = async (name: string) => JSON.stringify((await client.callTool({ name, arguments: {} })).content);
  expect(await said("books_listBooks")).toContain("Middlemarch");
  expect(await said("board_readNotice")).toContain("Closed on Sunday.");
  await client.close();
});

async function edit(): Promise<Page> {
  const { page } = owner;
  await page.goto(`${stage.server.url}/console/gateway/configuration/edit`);
  await heading(page, "Edit configuration").waitFor();
  await loaded(page);
  await page.getByText("Valid", { exact: true }).waitFor();
  return page;
}

/** Warnings are about apps that everybody with a token may call, which is what is wanted here. */
async function add(hands: Hands, dialog: Locator): Promise<void> {
  await hands.press(dialog.getByRole("button", { name: "Add", exact: true }));
  const allTheSame = dialog.getByRole("button", { name: "Add it all the same" });
  await Promise.race([allTheSame.waitFor(), dialog.waitFor({ state: "detached" })]);
  if (await allTheSame.isVisible()) await hands.press(allTheSame);
  await dialog.waitFor({ state: "detached" });
}

async function agent(): Promise<Client> {
  const cookies = await owner.context.cookies(stage.server.url);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const who: Owner = { region, cookie };
  const signer = await createSigner(who, { resources: [mcpURL(region)] });
  const token = await issueToken(region, signer, { resource: mcpURL(region) });
  const client = new Client({ name: "agent", version: "1" });
  const requestInit = { headers: bearer(token) };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpURL(region)), { requestInit }));
  return client;
}

/** The quickstart's gateway without apps, whose owners publish at the Console. */
function emptyGateway(authority: string): RuntimeUnderTest {
  return {
    ...node,
    start: async (options) => {
      const { console, ...document } = parse(options.configuration) as { readonly console: object };
      const regions = await node.start({
        ...options,
        configuration: stringify({ ...document, console: { ...console, setupToken: undefined }, apps: [] }),
        variables: {
          ...options.variables,
          SVC_CONFIG_SOURCE: "store:",
          SVC_CONFIG_DEPLOYMENT: "production",
          SVC_CONFIG_SIGNING: "service",
          NODE_EXTRA_CA_CERTS: authority,
        },
      });
      region = regions.us;
      return regions;
    },
  };
}

/** An MCP server with one tool, for everybody. */
async function startNotices(): Promise<typeof board> {
  const port = await freePort();
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "notices", version: "1" });
    server.registerTool("readNotice", { description: "Reads the notice." }, () => ({
      content: [{ type: "text", text: "Closed on Sunday." }],
    }));
    return server;
  });
  return new Promise((resolve) => {
    const server = serve({ fetch: (request) => handler.fetch(request), port, hostname: "localhost" }, () =>
      resolve({
        url: `http://localhost:${port}/mcp`,
        stop: () => new Promise((stopped) => server.close(() => stopped())),
      }),
    );
  });
}
