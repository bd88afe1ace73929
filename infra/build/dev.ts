import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CONSOLE_PATH } from "../../lib/config/endpoints.ts";
import { setupLink } from "../../lib/console/paths.ts";
import { givenConsoleFolder } from "../node/console/folder.ts";
import { ensureConsole } from "./console/ensure.ts";
import { ensureDevVariables, readDevVariables } from "./dev-variables.ts";
import { WORKER_SOURCE } from "./worker-bundle.ts";
import { writeWorkerPackages } from "./worker-packages.ts";
import { QUIET_WRANGLER, wranglerProgram } from "./wrangler.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/**
 * `npm run dev`: the Worker of region us in workerd on this machine, state in `.wrangler/`, without an account and without
 * the network. Its addresses stand in `.dev.vars`: its own, and the API's, which is the quickstart's at first.
 */
async function dev(): Promise<void> {
  await ensureConsole((line) => process.stdout.write(`${line}\n`));
  const given = givenConsoleFolder(process.env);
  const assets = given === undefined ? [] : ["--assets", given];
  await writeWorkerPackages();
  ensureDevVariables(ROOT);
  const { PUBLIC_URL = "http://localhost:8787", CS_COUNTERSIGN_SETUP_TOKEN } = readDevVariables(ROOT);
  const console =
    CS_COUNTERSIGN_SETUP_TOKEN === undefined
      ? `${PUBLIC_URL}${CONSOLE_PATH}`
      : setupLink(PUBLIC_URL, CS_COUNTERSIGN_SETUP_TOKEN);
  process.stdout.write(`MCP endpoint  ${PUBLIC_URL}/mcp\nConsole       ${console}\n`);
  const { CI: _, ...quiet } = QUIET_WRANGLER;
  const parameters = [
    "dev",
    WORKER_SOURCE,
    "--bundle",
    "--env",
    "us",
    "--port",
    new URL(PUBLIC_URL).port || "8787",
    ...assets,
  ];
  const child = spawn(process.execPath, [wranglerProgram(), ...parameters, ...process.argv.slice(2)], {
    cwd: ROOT,
    env: { ...process.env, ...quiet },
    stdio: "inherit",
  });
  // The terminal sends Ctrl-C to both; wrangler decides when it is done.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}

await dev();
