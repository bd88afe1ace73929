import { type Finding, matchingLines, type RepositoryFile } from "../files.ts";

const UNFINISHED = /\b(?:TODO|FIXME|XXX|HACK)\b/;
const SILENCED = /\b(?:biome-ignore|@ts-ignore|@ts-expect-error|@ts-nocheck|eslint-disable)\b/;
const NOT_RUN = /\b(?:test|it|describe|suite)\.(?:skip|skipIf|runIf|only|todo|fails)\b|\bctx\.skip\(|\bcontext\.skip\(/;

/** Nothing is left unfinished, silenced or skipped. */
export function checkMarks(files: readonly RepositoryFile[]): readonly Finding[] {
  return files
    .filter((file) => /\.(?:tsx?|css|js|mjs|yml|yaml|sh|md)$|^\.ci\//.test(file.path) && file.path !== OWN_PATH)
    .flatMap((file) =>
      [UNFINISHED, SILENCED, NOT_RUN]
        .flatMap((pattern) => matchingLines(file, pattern))
        .map(({ line, match }) => ({ path: file.path, line, message: `"${match}" marks something unfinished.` })),
    );
}

/** The patterns above would find themselves. */
const OWN_PATH = "test/repository/rules/marks.ts";
