import { printTable } from "./table.ts";

/** One line of the summary. */
export interface Finding {
  readonly what: string;
  readonly measured: string;
  /** The peer's number of the same run, or the limit. */
  readonly against: string;
  readonly ratio?: string;
  readonly target?: string;
  /** Absent where nothing is demanded. */
  readonly met?: boolean;
}

export function printSummary(findings: readonly Finding[]): void {
  console.log("\nSummary");
  printTable(
    ["", "measured", "beside", "ratio", "target", "met"],
    findings.map(({ what, measured, against, ratio = "", target = "", met }) => {
      return [what, measured, against, ratio, target, met === undefined ? "" : met ? "yes" : "NO"];
    }),
  );
}
