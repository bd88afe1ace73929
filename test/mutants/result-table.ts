import type { Located } from "./locate.ts";
import type { Mutant } from "./mutant.ts";
import type { Failure } from "./suites.ts";

/** What became of one defect. */
export interface Verdict {
  readonly mutant: Mutant;
  readonly place: Located;
  /** The test that noticed it, if one did. */
  readonly failure: Failure | undefined;
  readonly seconds: number;
}

/** The table that is committed, in Markdown. It names no places: those move. */
export function resultTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ mutant: { id, area, costs }, failure }) => [id, area, costs, ...noticedBy(failure)]);
  const head = ["defect", "area", "costs", "noticed by", "test"];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(inCell).join(" | ")} |\n`).join("");
}

function noticedBy(failure: Failure | undefined): readonly string[] {
  return failure === undefined ? ["NOTHING", ""] : [failure.file, failure.test];
}

function inCell(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
}
