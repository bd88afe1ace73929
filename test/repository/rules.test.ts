import { expect, test } from "vitest";
import type { Finding, RepositoryFile } from "./files.ts";
import { checkChecklist } from "./rules/checklist.ts";
import { checkDependencies } from "./rules/dependencies.ts";
import { checkLengths } from "./rules/lengths.ts";
import { checkLinks } from "./rules/links.ts";
import { checkLockfiles } from "./rules/lockfiles.ts";
import { checkMarks } from "./rules/marks.ts";
import { checkShellBlocks, shellBlocks } from "./rules/shell-blocks.ts";
import { checkWords } from "./rules/words.ts";

test("36. a lockfile with a host name or without a hash is found", () => {
  const lockfile = (locked: object) => file("package-lock.json", JSON.stringify({ packages: { "": {}, a: locked } }));
  expect(messages(checkLockfiles([lockfile({ integrity: "sha512-x" })]))).toEqual([]);
  expect(messages(checkLockfiles([lockfile({ integrity: "sha512-x", resolved: "https://host/a.tgz" })]))).toEqual([
    "a carries the address it was downloaded from.",
  ]);
  expect(messages(checkLockfiles([lockfile({ version: "1.0.0" })]))).toEqual(["a has no integrity hash."]);
});

test("36. a hash may be missing only for systems that are not Linux with glibc", () => {
  const other = { optional: true, os: ["darwin"] };
  const musl = { optional: true, os: ["linux"], libc: ["musl"] };
  const lockfile = (packages: object) => file("package-lock.json", JSON.stringify({ packages }));
  expect(checkLockfiles([lockfile({ a: other, b: musl })])).toEqual([]);
  expect(checkLockfiles([lockfile({ a: { optional: true, os: ["linux"] }, b: { os: ["darwin"] } })])).toHaveLength(2);
});

test("36. a package with an install script that nobody has looked at is found", () => {
  const lockfile = (name: string) =>
    file(
      "package-lock.json",
      JSON.stringify({ packages: { [name]: { integrity: "sha512-x", hasInstallScript: true } } }),
    );
  expect(checkLockfiles([lockfile("node_modules/esbuild"), lockfile("node_modules/x/node_modules/workerd")])).toEqual(
    [],
  );
  for (const name of ["node_modules/new", "node_modules/@scope/esbuild", "node_modules/esbuild-x"]) {
    expect(messages(checkLockfiles([lockfile(name)]))).toEqual([
      `${name} runs a script when it is installed, which nobody has looked at.`,
    ]);
  }
});

test("an optional dependency that is not locked, which npm ci refuses, is found", () => {
  const packages = { "node_modules/a": { integrity: "sha512-x", optionalDependencies: { "a-linux": "1.0.0" } } };
  expect(messages(checkLockfiles([file("package-lock.json", JSON.stringify({ packages }))]))).toEqual([
    "a-linux is optional but not locked: npm ci refuses such a lockfile.",
  ]);
});

test("36. a version range in a manifest is found", () => {
  const manifest = (version: string) => file("package.json", JSON.stringify({ dependencies: { a: version } }));
  expect(checkLockfiles([manifest("1.2.3")])).toEqual([]);
  for (const range of ["^1.2.3", "~1.2.3", "latest", ">=1.0.0", "1.x"]) {
    expect(checkLockfiles([manifest(range)])).toHaveLength(1);
  }
});

test("a dependency without a row, and a row without a dependency, are found", () => {
  const page = file("docs/dependencies.md", "| `a` | why |\n| `gone` | why |");
  const manifest = file(
    "package.json",
    JSON.stringify({ dependencies: { a: "1.0.0" }, devDependencies: { b: "1.0.0" } }),
  );
  expect(messages(checkDependencies([page, manifest]))).toEqual([
    "has no row for b.",
    "has a row for gone, which nothing depends on.",
  ]);
});

test("unfinished, silenced and skipped things are found with their line", () => {
  const marks = ["TO" + "DO later", "// biome-" + "ignore lint: x", "test." + "skip('x')", "it." + "only('x')"];
  for (const mark of marks) {
    expect(checkMarks([file("lib/a.ts", `const a = 1;\n${mark}\n`)])).toMatchObject([{ path: "lib/a.ts", line: 2 }]);
  }
  expect(checkMarks([file("lib/a.ts", "skip the first test; only then go on")])).toEqual([]);
});

test("paths of a machine and registry hosts are found, URLs and routes are not", () => {
  const found = ["see /" + "home/me/x", "in /" + "tmp/x", "registry." + "example.com", "npm." + "example.dev"];
  for (const text of found) expect(checkWords([file("docs/a.md", text)])).toHaveLength(1);
  for (const text of ["https://example.com/home/page", "./data/home/x", "/oauth2/token"]) {
    expect(checkWords([file("docs/a.md", text)])).toEqual([]);
  }
});

test("a long file, a long median and a long tail are found", () => {
  const source = (path: string, lines: number) => file(path, "x\n".repeat(lines));
  expect(checkLengths([source("lib/a.ts", 400)]).map(({ path }) => path)).not.toContain("lib/a.ts");
  expect(checkLengths([source("lib/a.ts", 401)]).map(({ path }) => path)).toContain("lib/a.ts");
  expect(messages(checkLengths([source("lib/a.ts", 81), source("lib/b.ts", 81)]))).toEqual([
    "The median length is 81, above 80.",
  ]);
  expect(checkLengths([source("test/a.ts", 900), source("lib/b.ts", 10)])).toEqual([]);
});

test("links to missing pages and headings are found", () => {
  const page = file(
    "README.md",
    "[a](docs/decisions/README.md#what-is-it) [b](docs/none.md) [c](#here) [d](https://x.example)\n# Here",
  );
  const linked = file("docs/decisions/README.md", "# What else");
  expect(messages(checkLinks([page, linked]))).toEqual([
    "links to docs/decisions/README.md#what-is-it, but docs/decisions/README.md has no such heading.",
    "links to docs/none.md, which does not exist.",
  ]);
});

test("a shell block has to say how it runs", () => {
  const fence = "```";
  const text = `<!-- runs: alone -->\n${fence}sh\nls\n${fence}\n\n${fence}sh\npwd\n${fence}\n<!-- exempt: needs an account -->\n${fence}bash\nx\n${fence}\n`;
  const page = file("docs/a.md", text);
  expect(shellBlocks(page).map(({ use, text }) => [use?.kind, text])).toEqual([
    ["alone", "ls"],
    [undefined, "pwd"],
    ["exempt", "x"],
  ]);
  expect(checkShellBlocks([page])).toMatchObject([{ path: "docs/a.md", line: 6 }]);
});

test("a checklist item without its test, and a test without its item, are found", () => {
  const page = file(
    "docs/security-checklist.md",
    "- **1.** It holds.\n  Tests: `a.ts`\n- **2.** It\n  holds.\n  Tests: `a.ts`\n- **3.** x\n  Later: y",
  );
  const tests = file("test/a.ts", 'test("1. it holds", run);');
  expect(messages(checkChecklist([page, tests]))).toEqual([
    "Item 2 names test/a.ts, which has no test of that number.",
  ]);
  const unlisted = file("test/security/b.ts", 'test("9. it holds", run);');
  expect(messages(checkChecklist([file("docs/security-checklist.md", ""), unlisted]))).toEqual([
    "has a test for item 9, which docs/security-checklist.md does not list.",
  ]);
});

function file(path: string, text: string): RepositoryFile {
  return { path, text };
}

function messages(findings: readonly Finding[]): string[] {
  return findings.map(({ message }) => message);
}
