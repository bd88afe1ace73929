import { type Finding, matchingLines, type RepositoryFile } from "../files.ts";

const RULES: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  {
    pattern: /(?<![\w.:/-])\/(?:work|home|root|Users|tmp|private|mnt)\/[\w.-]+/,
    message: "is a path of one machine",
  },
  { pattern: /\b(?:registry|npm)\.[\w-]+\.(?:org|com|dev|internal)\b/i, message: "names a package registry" },
  { pattern: /\b(?:issue|part) \d+\b(?! of RFC)/i, message: "speaks of how the project was planned" },
  { pattern: /\bartifactory\b|\bnexus repository\b/i, message: "names a package registry" },
];

/** The project's text is about the project: no machine's paths, no registry's hosts, no plan of work. */
export function checkWords(files: readonly RepositoryFile[]): readonly Finding[] {
  return files
    .filter((file) => !file.path.endsWith("package-lock.json") && file.path !== "LICENSE")
    .flatMap((file) =>
      RULES.flatMap(({ pattern, message }) =>
        matchingLines(file, pattern).map(({ line, match }) => ({
          path: file.path,
          line,
          message: `"${match}" ${message}.`,
        })),
      ),
    );
}
