import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensureDevVariables, readDevVariables } from "./dev-variables.ts";
import { QUIET_WRANGLER, wranglerProgram } from "./wrangler.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/**
 * `npm run dev`: the Worker of region us in workerd on this machine, state in `.wrangler/`, without an account and without
 * the network. Its addresses stand in `.dev.vars`: its own, and the API's, which is the quickstart's at first.
 */
function dev(): void {
  ensureDevVariables(ROOT);
  const { PUBLIC_URL = "http://localhost:8787", CS_COUNTERSIGN_SETUP_TOKEN } = readDevVariables(ROOT);
  process.stdout.write(`MCP endpoint  ${PUBLIC_URL}/mcp\nSetup token   ${CS_COUNTERSIGN_SETUP_TOKEN}\n`);
  const { CI: _, ...quiet } = QUIET_WRANGLER;
  const parameters = ["dev", "--env", "us", "--port", new URL(PUBLIC_URL).port || "8787"];
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

dev();
