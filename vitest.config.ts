import { readdirSync } from "node:fs";
import { join } from "node:path";
import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import { LongestFirst } from "./test/support/shared-run/longest-first.ts";

/**
 * Directories whose files follow one another in the same processes, which saves loading the same modules again. They start
 * no whole runtimes, and what they change of their process they put back. Every other file has a process of its own.
 */
const SHARED = [
  "api-clients",
  "bridge",
  "chaos",
  "config",
  "connectors",
  "directory",
  "fuzz",
  "gateway",
  "health",
  "heartbeat",
  "http",
  "infra-aws",
  "logging",
  "management",
  "mcp",
  "net",
  "oauth",
  "openapi",
  "policy",
  "proxy",
  "repository",
  "secrets",
  "specification",
  "tokens",
].map((directory) => `test/${directory}/**/*.test.ts`);

/** Those of the security checklist, but for 7 and 10, which start whole runtimes and read what processes leave. */
const SHARED_SECURITY = readdirSync(join(import.meta.dirname, "test/security"))
  .filter((file) => file.endsWith(".test.ts") && !/^(07|10)-/.test(file))
  .map((file) => `test/security/${file}`);

/** Steps of `.ci/run` with configurations of their own: journeys in a real Chromium, and what starts and waits for processes. */
const APART = ["test/browser/**", "test/**/*.slow.test.ts"];

/** Of every run of the tests on Node. */
export const SETTINGS = defineConfig({
  test: {
    globalSetup: ["test/support/shared-run/setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What has to come about comes on a busy machine, too; a second, the default, says more about the machine.
    expect: { poll: { timeout: 20_000 } },
    // One more than the cores of a small machine: suites that wait for an alarm or another process leave theirs idle.
    maxWorkers: 3,
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    // The peer's advice to its own operators.
    onConsoleLog: (log) => !/oidc-provider (NOTICE|WARNING)/.test(log),
  },
});

export default mergeConfig(SETTINGS, {
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "isolated",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...SHARED, ...SHARED_SECURITY, ...APART],
        },
      },
      {
        extends: true,
        test: {
          name: "shared",
          include: [...SHARED, ...SHARED_SECURITY],
          exclude: [...configDefaults.exclude, ...APART],
          isolate: false,
        },
      },
    ],
  },
});
