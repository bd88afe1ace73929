import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { largeDocument } from "./openapi/large-document.ts";
import type { ScaleUsage } from "./openapi/scale.ts";
import type { Finding } from "./support/finding.ts";
import { measureInProcess } from "./support/measured-process.ts";
import type { BenchOptions } from "./support/options.ts";
import { mebibytes } from "./support/sizes.ts";
import { milliseconds, times, whole } from "./support/statistics.ts";
import { printTable } from "./support/table.ts";

const OPERATIONS = [100, 1_000, 10_000, 50_000];
/** Of the heap that the parsed document takes; of so few operations the collector's own steps are most of it. */
const PEAK_LIMIT = 3;
const MEASURED_FROM = 10_000;
/** How much longer an operation may take in the largest document than in one of a thousand. */
const GROWTH_LIMIT = 1.5;

/** What compiling takes by the number of operations, each number in a process of its own. */
export async function benchOpenapiScale({ folder }: BenchOptions): Promise<readonly Finding[]> {
  const usages: ScaleUsage[] = [];
  for (const operations of OPERATIONS) {
    const document = join(folder, `large-${operations}.json`);
    writeFileSync(document, largeDocument(operations));
    usages.push(await measureInProcess<ScaleUsage>({ name: "scale", args: [document] }));
  }
  console.log("\nCompiling by the number of operations");
  printTable(
    ["operations", "text", "parsed", "peak", "catalog", "process", "time", "an operation"],
    usages.map((usage) => [
      whole(usage.operations),
      ...[usage.characters, usage.parsed, usage.peak, usage.kept, usage.resident].map(mebibytes),
      milliseconds(usage.milliseconds, 0),
      milliseconds(usage.milliseconds / usage.operations),
    ]),
  );
  return [...usages.filter(({ operations }) => operations >= MEASURED_FROM).map(peakFinding), growthFinding(usages)];
}

function peakFinding({ operations, parsed, peak }: ScaleUsage): Finding {
  return {
    what: `Heap for compiling ${whole(operations)} operations`,
    measured: mebibytes(peak),
    against: `${mebibytes(parsed)} for the parsed document`,
    ratio: times(peak / parsed),
    target: `at most ${PEAK_LIMIT} ×`,
    met: peak <= parsed * PEAK_LIMIT,
  };
}

function growthFinding(usages: readonly ScaleUsage[]): Finding {
  const each = ({ milliseconds: time, operations }: ScaleUsage) => time / operations;
  const [few, most] = [usages[1], usages.at(-1)] as [ScaleUsage, ScaleUsage];
  const ratio = each(most) / each(few);
  return {
    what: `An operation of ${whole(most.operations)}`,
    measured: milliseconds(each(most)),
    against: `${milliseconds(each(few))} of ${whole(few.operations)}`,
    ratio: times(ratio),
    target: `at most ${GROWTH_LIMIT} ×`,
    met: ratio <= GROWTH_LIMIT,
  };
}
