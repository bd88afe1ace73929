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
/** Operations of the document that is measured however small a run is. */
const LEAST = 1_000;
/** Heap that compiling may take, beside what the parsed document takes; of few operations the runtime's own is most of it. */
const HEAP_LIMIT = 3;
const LIMITED_FROM = 10_000;
/** How much longer an operation may take in the largest document than in one of a thousand. */
const GROWTH_LIMIT = 1.5;

interface Measured extends ScaleUsage {
  /** Undefined: it was not tried. */
  readonly fits?: boolean;
}

/** What compiling takes by the number of operations, each number in a process of its own. */
export async function benchOpenapiScale({ folder, records }: BenchOptions): Promise<readonly Finding[]> {
  const usages: Measured[] = [];
  for (const operations of OPERATIONS.filter((count) => count <= Math.max(records, LEAST))) {
    const document = join(folder, `large-${operations}.json`);
    writeFileSync(document, largeDocument(operations));
    usages.push(await measured(document));
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
  return [...usages.flatMap(heapFinding), ...growthFinding(usages)];
}

/**
 * A heap with room collects little, and what is garbage counts as taken. So the memory is that of a process that has no more than the limit, and
 * the time that of one which has enough.
 */
async function measured(document: string): Promise<Measured> {
  const free = await measureInProcess<ScaleUsage>({ name: "scale", args: [document] });
  if (free.operations < LIMITED_FROM) return free;
  const heap = Math.ceil((free.before + free.parsed * HEAP_LIMIT) / 1024 / 1024);
  const flags = [`--max-old-space-size=${heap}`, "--max-semi-space-size=4"];
  try {
    const { peak, resident } = await measureInProcess<ScaleUsage>({ name: "scale", args: [document], flags });
    return { ...free, peak, resident, fits: true };
  } catch {
    return { ...free, fits: false };
  }
}

function heapFinding({ operations, parsed, peak, fits }: Measured): readonly Finding[] {
  if (fits === undefined) return [];
  const finding = {
    what: `Heap for compiling ${whole(operations)} operations`,
    measured: mebibytes(peak),
    against: `${mebibytes(parsed)} for the parsed document`,
    ratio: times(peak / parsed),
    target: `at most ${HEAP_LIMIT} ×`,
    met: fits && peak <= parsed * HEAP_LIMIT,
  };
  return [finding];
}

function growthFinding(usages: readonly ScaleUsage[]): readonly Finding[] {
  const each = ({ milliseconds: time, operations }: ScaleUsage) => time / operations;
  const [, few, ...more] = usages;
  const most = more.at(-1);
  if (few === undefined || most === undefined) return [];
  const ratio = each(most) / each(few);
  const finding = {
    what: `An operation of ${whole(most.operations)}`,
    measured: milliseconds(each(most)),
    against: `${milliseconds(each(few))} of ${whole(few.operations)}`,
    ratio: times(ratio),
    target: `at most ${GROWTH_LIMIT} ×`,
    met: ratio <= GROWTH_LIMIT,
  };
  return [finding];
}
