import type { Located } from "./locate.ts";
import { AREAS, EVERYWHERE, type Mutant } from "./mutant.ts";
import type { Verdict } from "./result-table.ts";
import { type Failure, firstFailure, suitesOf, type TestFile } from "./suites.ts";
import type { Tree } from "./tree.ts";

const LIMIT = 10 * 60_000;
const ATTEMPTS = 2;

/** Where the defect goes, and the file's text without it. */
export interface Original {
  readonly place: Located;
  readonly text: string;
}

/** Where defects are tried, and by which tests. */
export interface Trial {
  readonly tree: Tree;
  /** The test files of the tree. */
  readonly files: readonly TestFile[];
  /** Run the suites that a defect names, and no others. */
  readonly own: boolean;
}

/** Says which test notices a defect. */
export async function judge(mutant: Mutant, original: Original, trial: Trial): Promise<Verdict> {
  const started = Date.now();
  const failure = await notice(mutant, original, trial);
  return { mutant, place: original.place, failure, seconds: Math.round((Date.now() - started) / 1_000) };
}

interface Round {
  readonly suites: readonly TestFile[];
  readonly only: string | undefined;
  readonly isOwn: boolean;
}

/** The defect's own suites first, then those of its area, then what knows all of the product. */
async function notice(
  mutant: Mutant,
  original: Original,
  { tree, files, own: ownAlone }: Trial,
): Promise<Failure | undefined> {
  const { suites, missing } = suitesOf(mutant.suites, files);
  for (const part of missing) console.error(`${mutant.id}: no test file has "${part}" in its path`);
  const own = { suites, only: mutant.only, isOwn: true };
  const area = { suites: suitesOf(AREAS[mutant.area], files).suites, only: undefined, isOwn: false };
  const everywhere = { suites: suitesOf(EVERYWHERE, files).suites, only: undefined, isOwn: false };
  for (const round of ownAlone ? [own] : [own, area, everywhere]) {
    if (round.suites.length === 0) continue;
    const failure = await fails(round, original, tree);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/**
 * What fails with the defect. Where processes take part, and where a test failed that has little to do with the defect, the
 * test has to fail again with it and to pass without it.
 */
async function fails(round: Round, { place, text }: Original, tree: Tree): Promise<Failure | undefined> {
  const tried = (only: string | undefined, suites = round.suites) =>
    firstFailure(tree.root, suites, { only, limit: LIMIT });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const failure = await tree.with(place, text, () => tried(round.only));
    if (failure === undefined || (round.isOwn && isPlain(failure))) return failure;
    const suites = round.suites.filter(({ path }) => path === failure.file);
    if (suites.length === 0) return failure;
    const alone = failure.test.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    // Some tests fail only behind those that come before them.
    for (const only of failure.test.startsWith("(") ? [round.only] : [alone, round.only]) {
      const again = await tree.with(place, text, () => tried(only, suites));
      if (again !== undefined && (await tried(only, suites)) === undefined) return failure;
    }
    console.error(`${failure.file} > ${failure.test} fails now and then: ${firstLine(failure.message)}`);
  }
  return undefined;
}

/** A test in the process of the tests said no; a slow machine did not. */
function isPlain({ file, test, message }: Failure): boolean {
  return /^test\/(?!runtimes|contract|infra-)/.test(file) && !test.startsWith("(") && !/timed? ?out/i.test(message);
}

export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
