import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";
import { CONSOLE_BUILD_VARIABLE } from "../../infra/node/console/folder.ts";
import { tinyConsole } from "../support/console-build.ts";
import type { Built } from "../support/shared-run/built-once.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

describe("npm run build for Workers", () => {
  let build: Built;
  let printed: string;
  beforeAll(async () => {
    build = await tinyConsole();
    const env = { ...process.env, [CONSOLE_BUILD_VARIABLE]: build.folder };
    const run = (script: string) => promisify(execFile)(process.execPath, [script], { cwd: ROOT, env });
    await run("infra/build/configuration.ts");
    const { stdout, stderr } = await run("infra/build/worker.ts");
    printed = stdout + stderr;
  });
  afterAll(() => build?.remove());

  test("builds both regions offline and prints nothing but their sizes", () => {
    const line = (region: string) => `dist/worker/${region}/worker\\.js {2}[\\d.]+ KiB, gzip [\\d.]+ KiB\\n`;
    expect(printed).toMatch(new RegExp(`^${line("us")}${line("uk")}$`));
  });

  test.each(["us", "uk"])(
    "the bundle of %s exports the Durable Objects and needs no Node module but that of asynchronous context",
    async (region) => {
      const bundle = await readFile(`${ROOT}dist/worker/${region}/worker.js`, "utf8");
      expect(bundle).toMatch(
        /export\s*\{[^}]*AuditShard[^}]*McpSession[^}]*Registry[^}]*TokenShard[^}]*UpstreamCall[^}]*default/,
      );
      // Behind a quotation mark it is advice in the message of an error.
      const imported = [...bundle.matchAll(/(?<!')(?:from|import)\s*"([a-z@][\w@:/.-]*)"/g)].map(([, name]) => name);
      expect(new Set(imported)).toEqual(new Set(["cloudflare:workers", "node:async_hooks"]));
    },
  );

  test.each(["us", "uk"])("in %s the Worker answers every path, and files are what it reads", (env) => {
    const { assets } = unstable_readConfig({ config: `${ROOT}wrangler.toml`, env }, { hideWarnings: true });
    expect(assets).toMatchObject({
      binding: "ASSETS",
      run_worker_first: true,
      html_handling: "none",
      not_found_handling: "none",
    });
    expect(assets?.directory).toMatch(/dist\/console$/);
  });

  test("the bundle stays far below the 3 MiB that the smallest plan accepts, compressed", async () => {
    const sizes = [...printed.matchAll(/gzip ([\d.]+) KiB/g)].map(([, size]) => Number(size));
    expect(sizes).toHaveLength(2);
    for (const size of sizes) expect(size).toBeLessThan(1024);
  });
});
