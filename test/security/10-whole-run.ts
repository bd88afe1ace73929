import { describe, expect, test } from "vitest";
import { OTHER_RESOURCE_SERVER, RESOURCE_SERVER } from "../behaviour/configuration.ts";
import { ID_SECRET, type RunningRegions, type RuntimeUnderTest, SETUP_TOKEN } from "../support/runtime.ts";
import { secretLooks } from "../support/secret-looks.ts";

/** The log lines of several runtimes, and the test that searches them. */
export interface WholeRunLog {
  /** The same runtime; what its regions logged is kept when they stop. */
  watch(runtime: RuntimeUnderTest): RuntimeUnderTest;
  /** Declares the test: behind all suites, because tests run in the order in which they are declared. */
  search(): void;
}

/** Searched for as it is; tokens, assertions and private keys by their look. */
const CONFIGURED: readonly string[] = [SETUP_TOKEN, ID_SECRET, RESOURCE_SERVER.secret, OTHER_RESOURCE_SERVER.secret];

/** Everything that the suites cause to be logged, at every level (checklist 10). */
export function wholeRunLog(): WholeRunLog {
  const lines: string[] = [];
  const collecting = ({ us, uk, stop }: RunningRegions): RunningRegions => ({
    us,
    uk,
    stop: async () => {
      await stop();
      for (const { logs } of [us, uk]) for (const line of logs()) lines.push(line);
    },
  });
  return {
    watch: (runtime) => ({ ...runtime, start: async (options) => collecting(await runtime.start(options)) }),
    search: () => {
      describe("the log of all suites", () => {
        test("10. no line holds a token, an assertion, a private key or a configured secret", () => {
          expect(lines.length).toBeGreaterThan(0);
          const leaks = lines.filter(
            (line) => secretLooks(line).length > 0 || CONFIGURED.some((secret) => line.includes(secret)),
          );
          expect(leaks.map((line) => line.slice(0, 200))).toEqual([]);
        });
      });
    },
  };
}
