import type { DocumentReport } from "./judge-document.ts";

const COLUMNS = [22, 7, 10, 6, 8, 7, 7, 7, 10, 7] as const;
/** Failures of one document that are told one by one. */
const TOLD = 10;
/** Part of the calls that the gateway may refuse: arguments that no request can carry. */
const REFUSED = 0.01;

export function headings(): string {
  return row([
    "document",
    "version",
    "operations",
    "tools",
    "left out",
    "calls",
    "right",
    "refused",
    "exceptions",
    "seconds",
  ]);
}

export function describe(report: DocumentReport): string {
  const { name, version, operations, tools, leftOut, calls, right, refused, exceptions, seconds } = report;
  const sum = [...exceptions.values()].reduce((total, count) => total + count, 0);
  const cells = [name, version, operations, tools.length, operations - tools.length, calls, right, refused.length, sum];
  const reasons = [...leftOut].map(
    ([reason, all]) => `  left out, ${reason}: ${all.length} (${all.slice(0, 5).join("; ")})`,
  );
  return [row([...cells.map(String), seconds.toFixed(1)]), ...reasons].join("\n");
}

/** One row for many documents. */
export function totalOf(name: string, reports: readonly DocumentReport[]): DocumentReport {
  const sum = (count: (report: DocumentReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const byKey = <K, V>(mapOf: (report: DocumentReport) => ReadonlyMap<K, V>, add: (a: V | undefined, b: V) => V) => {
    const total = new Map<K, V>();
    for (const [key, value] of reports.flatMap((report) => [...mapOf(report)]))
      total.set(key, add(total.get(key), value));
    return total;
  };
  return {
    name,
    version: `${reports.length} of`,
    catalog: undefined,
    operations: sum(({ operations }) => operations),
    tools: reports.flatMap(({ tools }) => tools),
    leftOut: byKey(
      ({ leftOut }) => leftOut,
      (a = [], b) => [...a, ...b],
    ),
    calls: sum(({ calls }) => calls),
    right: sum(({ right }) => right),
    refused: reports.flatMap(({ refused }) => refused),
    undrawn: reports.flatMap(({ undrawn }) => undrawn),
    exceptions: byKey(
      ({ exceptions }) => exceptions,
      (a = 0, b) => a + b,
    ),
    failures: reports.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`)),
    seconds: sum(({ seconds }) => seconds),
  };
}

/** @param mayBeLeftOut part of the operations, 0 to 1 */
export function wrongWith(report: DocumentReport, mayBeLeftOut: number): readonly string[] {
  const { name, operations, tools, leftOut, calls, refused, failures } = report;
  const absent = operations - tools.length;
  const reasons = [...leftOut].map(([reason, all]) => `${reason}: ${all.join(", ")}`).join("; ");
  const cut = (text: string) => (text.length <= 900 ? text : `${text.slice(0, 900)}…`);
  return [
    ...(tools.length === 0 ? [`${name} has no tools`] : []),
    ...(absent > operations * mayBeLeftOut
      ? [cut(`${name}: ${absent} of ${operations} operations are left out: ${reasons}`)]
      : []),
    ...(refused.length > Math.max(calls * REFUSED, 1)
      ? [`${name}: the gateway refused ${refused.length} of ${calls} calls`]
      : []),
    ...failures.slice(0, TOLD).map((failure) => cut(`${name}: ${failure}`)),
    ...(failures.length > TOLD ? [`${name}: ${failures.length - TOLD} failures more`] : []),
  ];
}

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index === 0 ? cell.padEnd(COLUMNS[0]) : cell.padStart(COLUMNS[index] ?? 0)))
    .join("  ");
}
