import type { Finding, RepositoryFile } from "../files.ts";

const LIMIT = 400;
const TYPICAL = 80;
const LONG = 250;

/** Source files stay short: none above 400 lines, half of them at most 80, all but a twentieth at most 250. */
export function checkLengths(files: readonly RepositoryFile[]): readonly Finding[] {
  const sources = lengths(files);
  const tooLong = sources.filter(({ lines }) => lines > LIMIT);
  const { median, p95 } = statistics(sources.map(({ lines }) => lines));
  const findings = tooLong.map(({ path, lines }) => ({ path, message: `has ${lines} lines; ${LIMIT} is the most.` }));
  if (median > TYPICAL) findings.push({ path: "*.ts", message: `The median length is ${median}, above ${TYPICAL}.` });
  if (p95 > LONG) findings.push({ path: "*.ts", message: `The 95th percentile is ${p95}, above ${LONG}.` });
  return findings;
}

/** One line: how long source files are. */
export function describeLengths(files: readonly RepositoryFile[]): string {
  const sources = lengths(files);
  const { median, p95 } = statistics(sources.map(({ lines }) => lines));
  const longest = sources.at(-1);
  return `Lines a source file: median ${median}, 95th percentile ${p95}, longest ${longest?.lines} (${longest?.path}).`;
}

function lengths(files: readonly RepositoryFile[]): { path: string; lines: number }[] {
  return files
    .filter((file) => /\.tsx?$/.test(file.path) && !file.path.startsWith("test/"))
    .map((file) => ({ path: file.path, lines: file.text.split("\n").length - 1 }))
    .sort((a, b) => a.lines - b.lines);
}

function statistics(sorted: readonly number[]): { median: number; p95: number } {
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}
