import { describe, expect, test } from "vitest";
import { OTHER_RESOURCE_SERVER, RESOURCE_SERVER } from "../behaviour/configuration.ts";
import { AGENT, GATEWAY_APP, LEDGER_APP } from "../behaviour/people-configuration.ts";
import { ID_SECRET, KEY_SECRET, type RunningRegions, type RuntimeUnderTest, SETUP_TOKEN } from "../support/runtime.ts";
import { secretLooks } from "../support/secret-looks.ts";

/** The log lines of several runtimes, and the tests that search them. */
export interface WholeRunLog {
  /** The same runtime; what its regions logged is kept when they stop. */
  watch(runtime: RuntimeUnderTest): RuntimeUnderTest;
  /** Declares the tests: behind all suites, because tests run in the order in which they are declared. */
  search(): void;
}

/** Searched for as it is; tokens, assertions and private keys by their look. */
const CONFIGURED: readonly string[] = [
  ...[SETUP_TOKEN, ID_SECRET, KEY_SECRET],
  ...[RESOURCE_SERVER, OTHER_RESOURCE_SERVER, AGENT, GATEWAY_APP, LEDGER_APP].map(({ secret }) => secret),
];

/** How entries begin that an instance writes on its own account; every other one belongs to a request. */
const OWN =
  /^(heartbeat|listening|a worker|http\.trustedProxies|stopp|configuration|housekeeping|the use of a consent was not noted|delivery to another object|(keys of )?connector|(keys of )?authorization server|signing keys|upstream|telemetry|(a )?published configuration|nothing is published)/;

const HEARTBEAT = ["config_version", "level", "msg", "orchestrator_version", "soid", "time"];
/** What Workers tell nobody. */
const MEASURED = ["active_goroutines", "cpu_count", "cpu_usage", "memory_usage", "total_memory"];

type Entry = Readonly<Record<string, unknown>>;

/** Everything that the suites cause to be logged, at every level (checklist 10). */
export function wholeRunLog(): WholeRunLog {
  const lines: string[] = [];
  let isMeasured = true;
  const collecting = ({ us, uk, stop }: RunningRegions): RunningRegions => ({
    us,
    uk,
    stop: async () => {
      await stop();
      for (const { logs } of [us, uk]) for (const line of logs()) lines.push(line);
    },
  });
  return {
    watch: (runtime) => {
      isMeasured = runtime.name !== "workerd";
      return { ...runtime, start: async (options) => collecting(await runtime.start(options)) };
    },
    search: () => {
      describe("the log of all suites", () => {
        test("10. no line holds a token, an assertion, a private key or a configured secret", () => {
          expect(lines.length).toBeGreaterThan(0);
          const leaks = lines.filter(
            (line) => secretLooks(line).length > 0 || CONFIGURED.some((secret) => line.includes(secret)),
          );
          expect(leaks.map((line) => line.slice(0, 200))).toEqual([]);
        });

        test("every entry names its instance, and its request when it belongs to one", () => {
          const entries = entriesIn(lines);
          expect(entries.some(({ msg }) => msg === "request")).toBe(true);
          const nameless = entries.filter(({ soid }) => typeof soid !== "string");
          expect(nameless).toEqual([]);
          const lost = entries.filter(({ msg, requestId }) => !OWN.test(String(msg)) && typeof requestId !== "string");
          expect(lost).toEqual([]);
        });

        test("every instance that serves has a heartbeat, with the fields of the specification and no others", () => {
          const entries = entriesIn(lines);
          const beats = entries.filter(({ msg }) => msg === "heartbeat");
          const beating = new Set(beats.map(({ soid }) => soid));
          const serving = entries.filter(({ msg, status }) => msg === "request" && status !== undefined);
          expect(serving.filter(({ soid, path }) => path !== undefined && !beating.has(soid))).toEqual([]);
          for (const beat of beats) {
            const measured = isMeasured ? MEASURED : [];
            expect(Object.keys(beat).sort()).toEqual([...HEARTBEAT, ...measured].sort());
            for (const name of measured) expect(beat[name]).toBeTypeOf("number");
          }
        });
      });
    },
  };
}

/** Lines that are not of the product, such as those of its host, are no JSON objects. */
function entriesIn(lines: readonly string[]): readonly Entry[] {
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}
