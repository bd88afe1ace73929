import { readFileSync } from "node:fs";
import { basename } from "node:path";

export type Runtime = "node" | "workerd" | "lambda";

export const RUNTIMES: readonly Runtime[] = ["node", "workerd", "lambda"];

export interface TestResult {
  /** The runtime that a behaviour suite ran on; undefined for every other test. */
  readonly runtime: Runtime | undefined;
  readonly title: string;
  readonly passed: boolean;
  /** Why it failed, as the reporter puts it; empty when it passed. */
  readonly messages: readonly string[];
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** The tests in one or more of vitest's JSON reports. A file that could not even be loaded counts as one failed test. */
export function readResults(paths: readonly string[]): readonly TestResult[] {
  return paths
    .map((path) => JSON.parse(readFileSync(path, "utf8")) as VitestReport)
    .flatMap((report) => report.testResults)
    .flatMap((file) => {
      const runtime = runtimeOf(file.name);
      const tests = file.assertionResults.map(({ ancestorTitles, title, status, failureMessages = [] }) => ({
        runtime,
        title: [...ancestorTitles, title].join(" > "),
        passed: status === "passed",
        messages: failureMessages,
      }));
      const loaded = file.status === "passed" || tests.some((test) => !test.passed);
      if (loaded) return tests;
      const title = `${basename(file.name)} could not be run`;
      return [...tests, { runtime, title, passed: false, messages: file.message === undefined ? [] : [file.message] }];
    });
}

/** Of the parts of the behaviour suite, a file each: `node.tokens.test.ts`, `workerd.mcp.edge.test.ts`. */
export function runtimeOf(path: string): Runtime | undefined {
  const name = /test\/runtimes\/(\w+)\.\w+(?:\.edge)?\.test\.ts$/.exec(path.replaceAll("\\", "/"))?.[1];
  return RUNTIMES.find((runtime) => runtime === name);
}
