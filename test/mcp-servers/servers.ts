import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromiumOptions } from "../support/chromium.ts";
import { freePorts } from "../support/free-port.ts";
import { installed, type ServerProgram, serverProgram } from "./program.ts";

/** The apps of the gateway, by the names that stand in front of their tools. */
export type App = "stream" | "legacy" | "wrapped" | "browser" | "docs";

/** The servers, each with an endpoint of its own on this machine. */
export type Servers = Readonly<Record<App, ServerProgram>>;

/** The apps before one and the same server, which shows everything that the protocol has, by each way to reach it. */
export const EVERYTHING: readonly App[] = ["stream", "legacy", "wrapped"];

const SHOWING_EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";

/** @param documentation address of what the documentation server asks instead of its makers' own */
export async function startServers(home: string, documentation: string): Promise<Servers> {
  const [stream = 0, legacy = 0, wrapped = 0, browser = 0, docs = 0] = await freePorts(5);
  const servers: Servers = {
    stream: serverProgram({
      script: SHOWING_EVERYTHING,
      args: ["streamableHttp"],
      variables: { PORT: String(stream) },
      home,
      url: `http://127.0.0.1:${stream}/mcp`,
    }),
    legacy: serverProgram({
      script: SHOWING_EVERYTHING,
      args: ["sse"],
      variables: { PORT: String(legacy) },
      home,
      url: `http://127.0.0.1:${legacy}/sse`,
    }),
    wrapped: serverProgram({
      script: "mcp-proxy/dist/bin/mcp-proxy.mjs",
      args: [
        "--host",
        "127.0.0.1",
        "--port",
        String(wrapped),
        "--",
        process.execPath,
        installed(SHOWING_EVERYTHING),
        "stdio",
      ],
      home,
      url: `http://127.0.0.1:${wrapped}/mcp`,
    }),
    browser: serverProgram({
      script: "@playwright/mcp/cli.js",
      args: [
        ...["--host", "127.0.0.1", "--port", String(browser), "--allowed-hosts", `127.0.0.1:${browser}`],
        ...["--config", await browserConfiguration(home)],
      ],
      home,
      url: `http://127.0.0.1:${browser}/mcp`,
    }),
    docs: serverProgram({
      script: "@upstash/context7-mcp/dist/index.js",
      args: ["--transport", "http", "--port", String(docs)],
      variables: { CONTEXT7_API_URL: documentation, OTEL_SDK_DISABLED: "true" },
      home,
      url: `http://127.0.0.1:${docs}/mcp`,
    }),
  };
  await Promise.all(Object.values(servers).map((server) => server.start()));
  return servers;
}

/** A browser without a window and a profile for each session, as the tests of our own pages have it. */
async function browserConfiguration(home: string): Promise<string> {
  const file = join(home, "browser.json");
  const launchOptions = { ...(await chromiumOptions()), chromiumSandbox: false };
  await writeFile(file, JSON.stringify({ browser: { browserName: "chromium", isolated: true, launchOptions } }));
  return file;
}
