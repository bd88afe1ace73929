import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";

/** A test file and the configuration of Vitest that it belongs to. */
export interface TestFile {
  readonly path: string;
  readonly configuration: string;
}

/** The first test that failed. */
export interface Failure {
  readonly file: string;
  readonly test: string;
  readonly message: string;
}

/** All test files of the tree, each by the first configuration that runs it; `npm test` is the first of them. */
export async function everyTestFile(root: string): Promise<readonly TestFile[]> {
  const configurations = readdirSync(root)
    .filter((name) => /^vitest\.(?:.+\.)?config\.ts$/.test(name))
    .sort((one, other) => one.length - other.length);
  const files = new Map<string, TestFile>();
  for (const configuration of configurations) {
    const { output } = await vitest(root, ["list", "--filesOnly", "--json", "--config", configuration], {
      limit: 120_000,
    });
    const listed: readonly { readonly file: string }[] = JSON.parse(output.slice(output.indexOf("[")));
    for (const { file } of listed) {
      const path = relative(root, file).replaceAll("\\", "/");
      // The table's own test fails by every defect.
      if (!files.has(path) && !path.startsWith("test/mutants/")) files.set(path, { path, configuration });
    }
  }
  return [...files.values()];
}

/** Test files whose path has one of these parts, and the parts that no path has. */
export function suitesOf(parts: readonly string[], files: readonly TestFile[]) {
  return {
    suites: files.filter(({ path }) => parts.some((part) => path.includes(part))),
    missing: parts.filter((part) => files.every(({ path }) => !path.includes(part))),
  };
}

export interface RunOptions {
  /** The tests to run, as `vitest -t` takes them. */
  readonly only: string | undefined;
  /** In milliseconds; what takes longer counts as a failure. */
  readonly limit: number;
}

/** Runs the files up to the first failure. */
export async function firstFailure(
  root: string,
  suites: readonly TestFile[],
  { only, limit }: RunOptions,
): Promise<Failure | undefined> {
  const byConfiguration = Map.groupBy(suites, ({ configuration }) => configuration);
  for (const [configuration, files] of byConfiguration) {
    const report = join(root, "mutants-report.json");
    rmSync(report, { force: true });
    const options = ["--bail=1", "--config", configuration, "--reporter=json", `--outputFile=${report}`];
    const paths = files.map(({ path }) => path);
    const run = await vitest(root, ["run", ...options, ...(only === undefined ? [] : ["-t", only]), ...paths], {
      limit,
      report,
    });
    if (run.isLate) return { file: paths.join(", "), test: "(does not end)", message: "timeout" };
    const failure = readFailure(root, report, run);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

function readFailure(root: string, path: string, { code, output }: Run): Failure | undefined {
  if (code === 0) return undefined;
  let report: Report;
  try {
    report = JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch (cause) {
    throw new Error(`Vitest left no report:\n${output.slice(-3_000)}`, { cause });
  }
  if (code === null && report.success) return undefined;
  for (const { name, status, message, assertionResults } of report.testResults) {
    const file = relative(root, name).replaceAll("\\", "/");
    const failed = assertionResults.find((assertion) => assertion.status === "failed");
    if (failed !== undefined) {
      return {
        file,
        test: [...failed.ancestorTitles, failed.title].join(" > "),
        message: (failed.failureMessages ?? []).join("\n"),
      };
    }
    if (status === "failed" && message !== "") return { file, test: "(the file as a whole)", message };
  }
  return { file: "(the run)", test: "(an error outside of tests)", message: output.slice(-3_000) };
}

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly isLate: boolean;
}

interface Bounds {
  readonly limit: number;
  /** The file that it writes when it is done; after a bailed run it does not always end by itself. */
  readonly report?: string;
}

async function vitest(root: string, parameters: readonly string[], { limit, report }: Bounds): Promise<Run> {
  // A group of its own: servers that the tests started end with it.
  const child = spawn(join(root, "node_modules/.bin/vitest"), parameters, {
    cwd: root,
    detached: true,
    env: { ...process.env, NO_COLOR: "1", PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, limit);
  const looks = setInterval(() => {
    if (report === undefined || !existsSync(report)) return;
    clearInterval(looks);
    setTimeout(() => endGroup(child), GRACE).unref();
  }, 1_000);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
    // Servers that the tests left may keep the output open.
    child.on("exit", (code) => setTimeout(() => resolve(code), 2_000));
  });
  clearTimeout(timer);
  clearInterval(looks);
  endGroup(child);
  return { code, output, isLate };
}

const GRACE = 15_000;

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
