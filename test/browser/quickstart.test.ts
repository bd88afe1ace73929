import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freeNeighbours } from "../repository/shell-blocks/ports.ts";
import { startChromium } from "../support/chromium.ts";
import { setUp } from "./console/support/stage.ts";
import { visit } from "./console/support/visitor.ts";

const program = fileURLToPath(new URL("../../examples/quickstart/start/quickstart.ts", import.meta.url));

let browser: Browser;
let api: Server;
let folder: string;
let quickstart: ChildProcess;
let printed = "";

beforeAll(async () => {
  let port: number;
  [browser, api, folder, port] = await Promise.all([
    startChromium(),
    startWeather(),
    mkdtemp(join(tmpdir(), "countersign-quickstart-console-")),
    freeNeighbours(),
  ]);
  quickstart = spawn(process.execPath, [program], { cwd: folder, env: { ...process.env, PORT: String(port) } });
  await new Promise<void>((resolve, reject) => {
    for (const stream of [quickstart.stdout, quickstart.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        printed += chunk.toString();
        if (printed.includes("Press Ctrl-C to stop.")) resolve();
      });
    }
    quickstart.once("close", () => reject(new Error(`The quickstart ended:\n${printed}`)));
  });
});
afterAll(async () => {
  await browser?.close();
  if (quickstart?.exitCode === null) {
    quickstart.kill("SIGINT");
    await once(quickstart, "close");
  }
  api?.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

test("who has just started the quickstart adds an API in its Console, and the agent calls its tool at once", async () => {
  const [, link = ""] = /^ {2}(http:\S+#token=\S+)$/m.exec(printed) ?? [];
  const [, endpoint = "", token = ""] = /--cli (\S+) .*"Authorization: Bearer (\S+)"/.exec(printed) ?? [];
  const owner = await visit(browser);
  const { page } = owner;
  await setUp(page, link);
  await page.getByRole("link", { name: "Tools and sessions" }).click();
  await page.getByRole("link", { name: "Add an API" }).click();
  const form = page.getByRole("dialog", { name: "Add a REST API" });
  await form.getByLabel("URL of the OpenAPI document").fill(`${urlOf(api)}/openapi.json`);
  await form.getByRole("button", { name: "Read document" }).click();
  await form.getByText("Tools, 1 of 1").waitFor();
  await form.getByLabel("Scopes that callers need").fill("library:read");
  await form.getByLabel("People whose agents may call").selectOption({ label: "Whoever signs in" });
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("weather is in the text. Publish puts it to use").waitFor();

  await page.getByRole("button", { name: "Publish" }).click();
  await page.getByRole("dialog", { name: "Publish revision 1?" }).getByRole("button", { name: "Publish" }).click();
  const again = page.getByRole("dialog", { name: "Sign in again" });
  await again.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("link", { name: "Its tools" }).click();
  await page.getByRole("button", { name: "weather_getForecast" }).waitFor();

  const agent = new Client({ name: "agent", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await agent.connect(new StreamableHTTPClientTransport(new URL(endpoint), { requestInit }));
  expect((await agent.listTools()).tools.map(({ name }) => name)).toContain("weather_getForecast");
  const forecast = await agent.callTool({ name: "weather_getForecast", arguments: { city: "Oslo" } });
  expect(JSON.stringify(forecast.content)).toContain("Snow in Oslo");
  await agent.close();
  await owner.leave();
});

/** A REST API with its document, as somebody has one on their own machine. */
async function startWeather(): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", urlOf(server));
    const answer = pathname === "/openapi.json" ? document : { says: `Snow in ${searchParams.get("city")}` };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  const document = {
    ...{ openapi: "3.1.0", info: { title: "Weather", version: "1" }, servers: [{ url: urlOf(server) }] },
    paths: {
      "/forecast": {
        get: {
          operationId: "getForecast",
          parameters: [{ name: "city", in: "query", required: true, schema: { type: "string" } }],
          responses: { 200: { description: "The forecast." } },
        },
      },
    },
  };
  return server;
}

function urlOf(server: Server): string {
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
