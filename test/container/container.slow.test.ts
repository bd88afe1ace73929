import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listRepository, root } from "../repository/files.ts";
import { freeNeighbours } from "../repository/shell-blocks/ports.ts";
import { execForm, healthCheck, isIgnored, readDockerfile, type Stage, stepsOf } from "./dockerfile.ts";

/*
 * What `docker build` does, in folders: the files that are sent to it, the commands of the build, the files that the last stage
 * takes. Packages are those that are installed here. Base images, users and volumes are the part that only an engine can show.
 */

const stages: readonly Stage[] = readDockerfile(readFileSync(`${root}Dockerfile`, "utf8"));
const COMMAND = {
  server: [...command("server", "ENTRYPOINT"), ...command("server", "CMD")],
  quickstart: command("quickstart", "CMD"),
};

let home: string;
let app: string;
let image: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "countersign-container-"));
  app = join(home, "build/app");
  image = join(home, "image");
  const dockerignore = readFileSync(`${root}.dockerignore`, "utf8");
  for (const path of listRepository().filter((path) => !isIgnored(path, dockerignore))) {
    await mkdir(dirname(join(app, path)), { recursive: true });
    await cp(root + path, join(app, path));
  }
  await symlink(join(root, "node_modules"), join(app, "node_modules"));
  for (const { rest } of stepsOf(stages, "build", "RUN").filter((step) => !step.rest.startsWith("npm ci"))) {
    await promisify(execFile)("sh", ["-c", rest], { cwd: app });
  }
  for (const { rest } of stepsOf(stages, "server", "COPY")) {
    const [source = "", target = ""] = rest.split(" ");
    await cp(join(home, "build", source), join(image, target === "./" ? "app" : target), { recursive: true });
  }
}, 600_000);
afterAll(() => rm(home, { recursive: true, force: true }));

test("the server starts from the files of its image, is healthy, and ends on SIGTERM", async () => {
  const port = await freeNeighbours();
  const file = join(image, "etc/countersign/countersign.yaml");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(
    file,
    `version: "1"
http: { address: "127.0.0.1:${port}" }
store: { path: "${join(image, "var/lib/countersign")}" }
oidcProvider: { region: us }
console: { enabled: true }
`,
  );
  const variables = { HEALTH_URL: `http://127.0.0.1:${port}/status` };
  const check = () => healthOf("server", (word) => word, variables);
  expect(await check()).toBe(1);

  const server = start(
    COMMAND.server.map((word) => word.replace("/etc/", `${image}/etc/`)),
    join(image, "app"),
    variables,
  );
  await expect.poll(check).toBe(0);
  const pages = await fetch(`http://127.0.0.1:${port}/console/`);
  expect([pages.status, await pages.text()]).toEqual([200, expect.stringContaining("/console/assets/")]);
  expect(await readdir(join(image, "var/lib/countersign"))).toContain("serving.lock");
  server.kill("SIGTERM");
  expect(await once(server, "exit")).toEqual([0, null]);
  expect(await check()).toBe(1);
});

test("the image of the server has the bundle and the Console, and no sources, packages or data", async () => {
  expect((await readdir(image)).sort()).toEqual(["app", "etc", "var"]);
  const files = await readdir(join(image, "app"));
  expect(files).toEqual(expect.arrayContaining(["console", "node", "sbom.cdx.json", "LICENSE"]));
  for (const name of ["node_modules", "lib", "package-lock.json", "data"]) expect(files).not.toContain(name);
});

test("the quickstart starts from what is sent to the build, listens where the container says, and is healthy", async () => {
  const port = await freeNeighbours();
  const variables = Object.fromEntries(stepsOf(stages, "quickstart", "ENV").map(({ rest }) => rest.split("=")));
  const built = await stat(join(app, "dist/console"));
  const quickstart = start(COMMAND.quickstart, app, { ...variables, PORT: String(port) });
  await expect.poll(() => healthOf("quickstart", (word) => word.replace("8080", String(port)), {})).toBe(0);
  if (process.platform === "linux") {
    // All 127.0.0.0/8 is this machine there; what listens on `localhost` alone does not answer at another address of it.
    expect(await Promise.all([0, 3, 1].map((offset) => answersElsewhere(port + offset)))).toEqual([true, true, false]);
  }
  quickstart.kill("SIGTERM");
  expect(await once(quickstart, "exit")).toEqual([0, null]);
  expect(existsSync(join(app, "data/quickstart"))).toBe(true);
  // The container cannot write anywhere else: it takes the Console as the build left it.
  expect((await stat(join(app, "dist/console"))).ino).toBe(built.ino);
});

function answersElsewhere(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.2:${port}/`, { redirect: "manual" }).then(
    () => true,
    () => false,
  );
}

function command(stage: string, instruction: string): readonly string[] {
  return execForm(stepsOf(stages, stage, instruction).at(-1)?.rest) ?? [];
}

/** The exit code of a stage's health check. */
async function healthOf(
  stage: string,
  change: (word: string) => string,
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const child = start((healthCheck(stages, stage) ?? []).map(change), home, variables);
  return Number((await once(child, "exit"))[0]);
}

/** By the Node of this run, in the place of the image's. */
function start(words: readonly string[], cwd: string, variables: Readonly<Record<string, string>>): ChildProcess {
  expect(words[0]).toMatch(/(?:^|\/)node$/);
  return spawn(process.execPath, words.slice(1), {
    cwd,
    env: { PATH: process.env.PATH, ...variables },
    stdio: "ignore",
  });
}
