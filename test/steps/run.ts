import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endAll, runStep } from "./step.ts";

/**
 * Runs the steps of `.ci/run`, two at a time, as two cores have room for, and counts what came of them. What a step
 * prints is printed as one piece when it has ended. A step that takes longer than its limit is ended and has failed.
 *
 *     node test/steps/run.ts [NAME ...]
 *
 * runs the named steps alone, with the packages that are installed.
 */
interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Names of steps that have to end before. */
  readonly after?: readonly string[];
  /** It waits for a registry or one compiler, so it takes no lane. */
  readonly waits?: true;
  /** It has several processes busy at once: one such step at a time, so that its tests have the time that they need. */
  readonly isSuite?: true;
  readonly minutes?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

const LANES = 2;
/** Several times what each step took on two cores with another beside it. */
const MINUTES = 15;

const RESULTS = "test-results";
const OUTPUT = join(RESULTS, "output");
const STEPS = join(RESULTS, "steps");
const REPORTS = {
  test: join(RESULTS, "vitest.json"),
  edges: join(RESULTS, "edges.json"),
  slow: join(RESULTS, "slow.json"),
  browser: join(process.cwd(), RESULTS, "browser.json"),
};
/** Large documents are not part of the repository, and neither are those of companies, beside them. */
const DOCUMENTS = process.env.COUNTERSIGN_OPENAPI_DOCUMENTS ?? "../shared/data/openapi";
const COMPANIES = [`${DOCUMENTS}-companies`].filter((folder) => existsSync(folder));
const JUDGED = [...(existsSync(DOCUMENTS) ? [DOCUMENTS] : []), ...COMPANIES];

/** Suites and long ones come first, so that no lane is left with one at the end. The others find `dist/` as "build" leaves it. */
const ALL: readonly Step[] = [
  { name: "build", command: ["npm", "run", "build"] },
  installs("MCP servers", "test/mcp-servers", ["--ignore-scripts"]),
  installs("MCP clients", "test/mcp-clients", ["--ignore-scripts"], ["MCP servers, install"]),
  installs("conformance fixtures", "test/conformance/fixtures", ["--ignore-scripts"], ["MCP clients, install"]),
  installs("OpenAPI mock", "test/openapi/prism", ["--ignore-scripts"], ["conformance fixtures, install"]),
  { ...installs("lambda runtime", "test/lambda-runtime", [], ["OpenAPI mock, install"]), environment: nodeHeaders() },
  suite("edges", "vitest.edges.config.ts", REPORTS.edges),
  suite("test", "vitest.config.ts", REPORTS.test),
  { name: "shell blocks", command: ["node", "test/repository/shell-blocks/run.ts"], after: ["build"], minutes: 45 },
  suite("browser", "test/browser/vitest.config.ts", REPORTS.browser),
  suite("slow tests", "vitest.slow.config.ts", REPORTS.slow),
  program("OpenAPI documents", ["test/openapi/run.ts", ...JUDGED]),
  { name: "check", command: ["npm", "run", "check"], after: ["build"] },
  program("structure", ["test/structure/run.ts"]),
  program("fuzz", ["test/fuzz/token-endpoint.ts", "-seconds", "20"]),
  program("hostile", ["test/hostile/run.ts", "-seconds", "2"]),
  program("chaos on Node", ["test/chaos/node.ts", "-seconds", "20"]),
  program("chaos on workerd", ["test/chaos/workerd.ts", "-seconds", "20"]),
  program("chaos at the proxy", ["test/chaos/proxy/run.ts", "-seconds", "20"]),
  program("conformance", ["test/conformance/run.ts"], ["conformance fixtures, install"]),
  program("MCP clients", ["test/mcp-clients/run.ts"], ["MCP clients, install"]),
  program("MCP servers", ["test/mcp-servers/run.ts"], ["MCP servers, install"]),
  program("other SDKs", ["test/other-sdks/run.ts"]),
  program("Keycloak", ["test/connections/keycloak/run.ts"]),
  program("OPA", ["test/policy/rego/run.ts"]),
  program("package", ["test/package/run.ts"]),
  program("OpenAPI mock", ["test/openapi/prism.ts", ...COMPANIES], ["OpenAPI mock, install"]),
  program("OpenAPI on the edges", ["test/openapi/edges.ts", DOCUMENTS]),
  // Tests of the edges package the function anew.
  program("lambda runtime", ["test/lambda-runtime/run.ts"], ["lambda runtime, install", "edges"]),
  { name: "audit", command: ["bash", ".ci/audit"] },
];

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });
}
mkdirSync(OUTPUT, { recursive: true });
writeFileSync(STEPS, "");
const only = process.argv.slice(2);
await runAll(ALL.filter(({ name }) => only.length === 0 || only.includes(name)));
process.exitCode = only.length === 0 ? total() : Number(/^failed/m.test(readFileSync(STEPS, "utf8")));

async function runAll(steps: readonly Step[]): Promise<void> {
  const waiting = [...steps];
  const running = new Map<string, Promise<void>>();
  while (waiting.length + running.size > 0) {
    const isSuiteRunning = steps.some(({ name, isSuite }) => isSuite === true && running.has(name));
    const isReady = ({ after = [], isSuite }: Step) =>
      !(isSuite === true && isSuiteRunning) &&
      !after.some((name) => running.has(name) || waiting.some((step) => step.name === name));
    const lanes = LANES - steps.filter(({ name, waits }) => running.has(name) && waits === undefined).length;
    const next = waiting.find((step) => isReady(step) && (step.waits === true || lanes > 0));
    if (next === undefined) {
      await Promise.race(running.values());
      continue;
    }
    waiting.splice(waiting.indexOf(next), 1);
    running.set(
      next.name,
      run(next).finally(() => running.delete(next.name)),
    );
  }
}

async function run({ name, command, environment, minutes = MINUTES }: Step): Promise<void> {
  console.log(`== ${name} started: ${command.join(" ")}`);
  const output = join(OUTPUT, name);
  const { passed, seconds } = await runStep({ command, environment, output, limit: minutes * 60_000 });
  const outcome = passed ? "passed" : "failed";
  writeFileSync(STEPS, `${outcome}\t${name}\n`, { flag: "a" });
  console.log(`\n== ${name}\n${readFileSync(output, "utf8")}== ${name} ${outcome} (${seconds} s)`);
}

/** Reads the reports of all suites; prints what failed, and the closing line. */
function total(): number {
  const suites = [REPORTS.test, REPORTS.edges, REPORTS.slow];
  const commands = [
    ["specification", "test/specification/report.ts", ...suites, REPORTS.browser],
    ["contract", "test/contract/table.ts", ...suites],
  ] as const;
  for (const [name, ...parameters] of commands) {
    const { status, stdout, stderr } = spawnSync("node", parameters, { encoding: "utf8" });
    writeFileSync(join(OUTPUT, name), stdout + stderr);
    writeFileSync(STEPS, `${status === 0 ? "passed" : "failed"}\t${name}\n`, { flag: "a" });
    console.log(`\n== ${name}\n${stdout}${stderr}`);
  }
  const closing = ["test/specification/closing-line.ts", STEPS, OUTPUT, ...suites, REPORTS.browser];
  return spawnSync("node", closing, { stdio: "inherit" }).status ?? 1;
}

function program(name: string, parameters: readonly string[], after: readonly string[] = []): Step {
  return { name, command: ["node", ...parameters], after: ["build", ...after] };
}

/** Two workers leave some of two cores to the step beside it. */
function suite(name: string, configuration: string, report: string): Step {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return {
    name,
    command: ["vitest", "run", "--config", configuration, ...reporters],
    after: ["build"],
    environment: { VITEST_MAX_WORKERS: "2" },
    isSuite: true,
    minutes: 30,
  };
}

function installs(name: string, folder: string, flags: readonly string[], after: readonly string[] = []): Step {
  return { name: `${name}, install`, command: ["npm", "ci", "--prefix", folder, ...flags], after, waits: true };
}

/** The package of the pinned Node carries the headers that a native build needs. */
function nodeHeaders(): Readonly<Record<string, string>> {
  const folders = ["x64", "arm64"].map((machine) => join(process.cwd(), "node_modules", `node-linux-${machine}`));
  return { npm_config_nodedir: folders.find((folder) => existsSync(folder)) ?? "" };
}
