import { parseArgs } from "node:util";
import { type RepositoryFile, readRepository } from "../repository/files.ts";
import { circlesOf, importsOf } from "../repository/imports.ts";
import { measureCalls } from "./calls.ts";

/**
 * `npm run structure`: how large the product's source files are, how many circles their imports form, and which files a
 * token request, a Bridge call, a Proxy call and a request for a web app pass. `-- -files` lists these by name. The stations of each way are a list in
 * docs/architecture.md; one that no request passes any more fails.
 */
const { values } = parseArgs({ options: { files: { type: "boolean", default: false } }, args: options(process.argv) });
const PARTS = ["lib", "functions", "infra", "console"];
const PAGE = "docs/architecture.md";

const repository = readRepository();
const sources = repository.filter(({ path }) => PARTS.includes(path.split("/")[0] ?? "") && /\.tsx?$/.test(path));
for (const part of PARTS) console.log(describe(part, within(part)));
console.log(`circles of imports, types included: ${circlesOf(importsOf(sources)).length}`);

for (const { name, files } of await measureCalls()) {
  const stations = stationsOf(name);
  const gone = stations.filter((station) => !files.includes(station));
  const inLib = files.filter((path) => path.startsWith("lib/")).length;
  console.log(
    `${name}: ${stations.length} stations in ${PAGE}; functions ran in ${files.length} files, ${inLib} of them in lib`,
  );
  for (const path of gone) console.error(`  ${path} is a station of the page and was not passed`);
  if (gone.length > 0) process.exitCode = 1;
  if (values.files) for (const path of files) console.log(`  ${stations.includes(path) ? "*" : " "} ${path}`);
}

/** One dash will do, as for the product's own commands. */
function options([, , ...given]: readonly string[]): string[] {
  return given.map((text) => text.replace(/^-(?=\w{2})/, "--"));
}

function within(part: string): readonly number[] {
  return sources
    .filter(({ path }) => path.startsWith(`${part}/`))
    .map(({ text }) => text.split("\n").length - 1)
    .sort((a, b) => a - b);
}

function describe(part: string, lines: readonly number[]): string {
  const sum = lines.reduce((total, count) => total + count, 0);
  const at = (share: number) => lines[Math.min(lines.length - 1, Math.floor(lines.length * share))] ?? 0;
  const size = `${lines.length} files, ${sum} lines`;
  return `${part}: ${size}; a file: median ${at(0.5)}, mean ${Math.round(sum / lines.length)}, 95th percentile ${at(0.95)}`;
}

/** The paths in the code block below the comment `<!-- way: NAME -->`. */
function stationsOf(name: string): readonly string[] {
  const page = repository.find(({ path }: RepositoryFile) => path === PAGE)?.text ?? "";
  const [, block = ""] = new RegExp(`<!-- way: ${name} -->\\s*\`\`\`[a-z]*\\n([^\`]*)\`\`\``).exec(page) ?? [];
  return block.match(/^(?:lib|functions|infra)\/\S+\.ts/gm) ?? [];
}
