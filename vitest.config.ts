import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import { LongestFirst } from "./test/support/shared-run/longest-first.ts";

/** Steps of `.ci/run` with configurations of their own. */
const APART = ["test/browser/**", "test/connections/keycloak/**", "test/**/*.edge.test.ts", "test/**/*.slow.test.ts"];

/** Of every run of the tests on Node. */
export const SETTINGS = defineConfig({
  test: {
    globalSetup: ["test/support/shared-run/setup.ts"],
    // What has to come about comes on a busy machine, too; the defaults of seconds say more about the machine.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // One more than the cores of a small machine: suites that wait for an alarm or another process leave theirs idle.
    maxWorkers: 3,
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    // The peer's advice to its own operators.
    onConsoleLog: (log) => !/oidc-provider (NOTICE|WARNING)/.test(log),
  },
});

/** Files that see what others leave in their process: the server for Node replaces the global `Response` when it is loaded. */
const ISOLATED = ["test/infra-node/open-fetch.test.ts"];

/** All others follow one another in the same processes, which saves loading the same modules again: what they change they put back. */
export default mergeConfig(SETTINGS, {
  test: {
    projects: [
      { extends: true, test: { name: "isolated", include: ISOLATED } },
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...ISOLATED, ...APART],
          isolate: false,
        },
      },
    ],
  },
});
