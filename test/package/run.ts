/**
 * Makes the package, installs it in an empty folder outside of the repository, without a registry, and works with it as
 * people do: `init`, `validate`, a server on the configuration of the quickstart, an API client, an agent that calls a tool of
 * an API and one of an MCP server, the Console. Prints one line a check, the size of what is installed, and `N passed, N
 * failed`.
 *
 * node test/package/run.ts
 */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importPKCS8 } from "jose";
import { startLibrary } from "../../examples/quickstart/api.ts";
import { startBoard } from "../../examples/quickstart/board.ts";
import { startProvider } from "../../examples/quickstart/sample-provider.ts";
import { tellStory } from "../../examples/quickstart/start/story.ts";
import { runToEnd } from "../other-sdks/process.ts";
import { freeNeighbours } from "../repository/shell-blocks/ports.ts";
import { listening } from "./server.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLE = join(ROOT, "examples/quickstart");
const SIZE_LIMIT = 60 * 1024 * 1024;
const SCOPES = "library:read,library:write,board:read,board:write,audit:read";

const home = await mkdtemp(join(tmpdir(), "countersign-package-"));
const command = join(home, "node_modules/.bin/countersign");
let [passed, failed] = [0, 0];

try {
  await check("the package is made", makePackage);
  await check("it installs from the file alone, without a registry and without anything to run", install);
  await check("it says what it is made of: every package has a licence and a hash", inventory);
  await check("init writes a configuration that validate accepts and a server starts on", firstSteps);
  await check("an agent calls tools behind the quickstart's configuration", quickstart);
} finally {
  await rm(home, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function check(name: string, task: () => Promise<string>): Promise<void> {
  // What follows needs what came before.
  if (failed > 0) return;
  try {
    console.log(`ok      ${name} (${await task()})`);
    passed += 1;
  } catch (error) {
    console.log(`FAILED  ${name}\n${error instanceof Error ? error.stack : error}`);
    failed += 1;
  }
}

async function makePackage(): Promise<string> {
  await succeed("node", [join(ROOT, "infra/build/package.ts")]);
  await succeed("npm", ["pack", join(ROOT, "dist/package"), "--pack-destination", home]);
  return `${kibibytes(statSync(await tarball()).size)} to download`;
}

async function install(): Promise<string> {
  await succeed("npm", ["install", "--offline", "--foreground-scripts", await tarball()]);
  const installed = (await readdir(join(home, "node_modules"))).filter((name) => !name.startsWith("."));
  expect(installed.join() === "countersign", `beside the package there is ${installed.join()}`);
  const { scripts, dependencies } = readJson(join(home, "node_modules/countersign/package.json"));
  expect(scripts === undefined && dependencies === undefined, "it has scripts or dependencies");
  const bytes = await sizeOf(join(home, "node_modules"));
  expect(bytes <= SIZE_LIMIT, `${kibibytes(bytes)} are more than ${kibibytes(SIZE_LIMIT)}`);
  return `${kibibytes(bytes)} installed, at most ${kibibytes(SIZE_LIMIT)} allowed`;
}

async function inventory(): Promise<string> {
  const folder = join(home, "node_modules/countersign");
  const { components } = readJson(join(folder, "sbom.cdx.json")) as { readonly components: readonly Listed[] };
  const texts = readFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), "utf8");
  for (const { purl, licenses, hashes, group, name, version } of components) {
    expect(licenses.length === 1 && /^[0-9a-f]{128}$/.test(hashes[0]?.content ?? ""), `${purl} lacks something`);
    const title = `${group === undefined ? "" : `${group}/`}${name} ${version}`;
    expect(texts.includes(`${title}: `), `${title} is not in the list of licences`);
  }
  const purls = new Set(components.map(({ purl }) => purl.replace(/@[^@]+$/, "")));
  // One of the server, one that only some configurations load, one of the Console.
  const known = ["pkg:npm/hono", "pkg:npm/%40azure/keyvault-secrets", "pkg:npm/react-dom"];
  expect(known.every((purl) => purls.has(purl)) && !purls.has("pkg:npm/vitest"), `listed are ${[...purls].join()}`);
  return `${components.length} packages`;
}

interface Listed {
  readonly purl: string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses: readonly object[];
  readonly hashes: readonly { readonly content: string }[];
}

async function firstSteps(): Promise<string> {
  const said = await succeed(command, ["init"]);
  const file = join(home, "countersign.yaml");
  await succeed(command, ["validate", "-config", file]);
  const port = await freeNeighbours();
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("localhost:8080", `localhost:${port}`));
  await using server = await listening(command, file, `http://localhost:${port}`);
  const refused = await fetch(`${server.url}/mcp`, { method: "POST" });
  expect(refused.status === 401, `/mcp answers ${refused.status}`);
  expect((await server.stop()) === 0, "it did not end in good order");
  return said.split("\n")[0] ?? "";
}

async function quickstart(): Promise<string> {
  const port = await freeNeighbours();
  const file = join(home, "quickstart.yaml");
  await copyFile(join(EXAMPLE, "openapi.yaml"), join(home, "openapi.yaml"));
  const text = readFileSync(join(EXAMPLE, "countersign.yaml"), "utf8");
  writeFileSync(
    file,
    text.replaceAll(/localhost:808([0-4])/g, (_, index) => `localhost:${port + Number(index)}`),
  );
  const url = `http://localhost:${port}`;
  const mcpURL = `${url}/mcp`;
  const key = join(home, "agent.pem");
  const more = ["-scopes", SCOPES, "-resources", mcpURL, "-keyOut", key];
  const created = await succeed(command, ["client", "create", "-config", file, "-name", "Agent", ...more]);
  const { clientId } = JSON.parse(created) as { readonly clientId: string };

  const library = await startLibrary(port + 1);
  const board = await startBoard(port + 2, { issuer: url, audience: `http://localhost:${port + 2}/mcp` });
  // Nobody signs in here, but the server is healthy only when its connector answers.
  const provider = await startProvider(port + 3, { clientID: "countersign", redirectURLs: [], logoutRedirectURLs: [] });
  try {
    await using server = await listening(command, file, url);
    const credentials = { clientId, privateKey: await importPKCS8(readFileSync(key, "utf8"), "ES256") };
    const told: string[] = [];
    const print = (line: string) => void told.push(line.trim());
    await tellStory({ mcpURL, managementURL: `${url}/api/v1`, credentials, print });
    const page = await fetch(`${url}/console/`);
    expect(page.ok && (await page.text()).includes("<script"), `the Console answers ${page.status}`);
    expect(existsSync(join(home, "node_modules/countersign/node/.compiled")), "nothing compiled is kept");
    expect((await server.stop()) === 0, "it did not end in good order");
    return told.at(-1) ?? "";
  } finally {
    await Promise.all([library.stop(), board.stop(), provider.stop()]);
  }
}

async function succeed(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, output } = await runToEnd({ command: program, args, home }, 300);
  expect(code === 0, `${program} ${args.join(" ")} ended with ${code}:\n${output}`);
  return stdout;
}

async function tarball(): Promise<string> {
  const name = (await readdir(home)).find((entry) => entry.endsWith(".tgz"));
  expect(name !== undefined, "npm pack wrote no file");
  return join(home, name as string);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function readJson(file: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(file, "utf8"));
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

function kibibytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KiB`;
}
