import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildConsole } from "../../infra/build/console/build.ts";
import { isConsoleCurrent } from "../../infra/build/console/current.ts";
import { SOURCES } from "../../infra/build/console/sources.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "countersign-console-"));
  await mkdir(join(root, "console"));
  await writeFile(join(root, "package-lock.json"), "{}");
  await writeFile(join(root, "console/vite.config.mjs"), 'export default { base: "/console/" };\n');
  await writeFile(join(root, "console/index.html"), '<script type="module" src="/main.ts"></script>');
  await writeFile(join(root, "console/main.ts"), `document.title = ${JSON.stringify("a title ".repeat(200))};\n`);
});
afterAll(() => rm(root, { recursive: true }));

test("a build has hashed files with their compressed forms, and counts until a source changes", async () => {
  expect(await isConsoleCurrent(root)).toBe(false);
  await buildConsole(root);
  expect(await isConsoleCurrent(root)).toBe(true);
  const built = join(root, "dist/console");
  const script = (await readdir(join(built, "assets"))).find((name) => name.endsWith(".js")) as string;
  expect(await readFile(join(built, "index.html"), "utf8")).toContain(`/console/assets/${script}`);
  const plain = await readFile(join(built, "assets", script));
  expect(brotliDecompressSync(await readFile(join(built, "assets", `${script}.br`)))).toEqual(plain);

  await utimes(join(root, "console/main.ts"), new Date(), new Date());
  expect(await isConsoleCurrent(root)).toBe(true);
  await writeFile(join(root, "console/more.ts"), "");
  expect(await isConsoleCurrent(root)).toBe(false);
});

test("a build that fails leaves the former one in its place, and nothing else", async () => {
  await buildConsole(root);
  await writeFile(join(root, "console/main.ts"), "import './gone.ts';\n");
  await expect(buildConsole(root)).rejects.toThrow("gone.ts");
  expect(await readFile(join(root, "dist/console/index.html"), "utf8")).toContain("/console/assets/");
  expect(await readdir(join(root, "dist"))).toEqual(["console"]);
  expect(await isConsoleCurrent(root)).toBe(false);
});

test.each([
  ["its document", "lib/management/document.ts", "node"],
  ["its checks of configurations", "console/configuration-check/worker.ts", "browser"],
  ["its trials of configurations", "console/configuration-trial/worker.ts", "browser"],
  ["its tests of policies", "console/policy-test/worker.ts", "browser"],
] as const)("a build counts until something changes that %s is made of", async (_, entry, platform) => {
  const common = { bundle: true, write: false, metafile: true, format: "esm" } as const;
  const { metafile } = await build({
    ...common,
    entryPoints: [entry, "lib/management/document.ts"],
    outdir: "out",
    platform,
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => path.startsWith("lib/"));
  expect(inputs).toContain("lib/management/documentation/members.ts");
  const missed = inputs.filter((path) => !SOURCES.some((source) => path === source || path.startsWith(`${source}/`)));
  expect(missed).toEqual([]);
});
