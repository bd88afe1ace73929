import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtFiles } from "../../infra/node/console/built-files.ts";

let folder: string;
let build: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-console-"));
  build = join(folder, "console");
  await mkdir(join(build, "assets"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "a secret");
});
afterEach(() => rm(folder, { recursive: true }));

test("nothing outside of the build is found, neither by a path nor through a link", async () => {
  await writeFile(join(build, "index.html"), "document");
  await symlink(join(folder, "secret.txt"), join(build, "linked.txt"));
  await symlink(folder, join(build, "assets", "linked"));
  const { read } = builtFiles(build);
  expect(await read("index.html", [])).toBeDefined();
  const outside = [
    "../secret.txt",
    "linked.txt",
    "assets/linked/secret.txt",
    join(folder, "secret.txt"),
    "",
    ".",
    "assets",
  ];
  for (const path of outside) expect(await read(path, ["br", "gzip"])).toBeUndefined();
});

test("what was built is served to the end, also when another build takes its place", async () => {
  const { read } = builtFiles(build);
  expect(await read("index.html", [])).toBeUndefined();
  await writeFile(join(build, "assets/index-1.js"), "one");
  await writeFile(join(build, "index.html"), "document of one");
  const text = async (path: string) => new TextDecoder().decode((await read(path, []))?.body as Uint8Array);
  expect(await text("index.html")).toBe("document of one");
  await rm(build, { recursive: true });
  expect(await text("assets/index-1.js")).toBe("one");
  expect(await text("index.html")).toBe("document of one");
});
