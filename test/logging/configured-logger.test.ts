import { describe, expect, test } from "vitest";
import { configuredLogger } from "../../lib/config/configured-logger.ts";
import type { LoggerConfiguration } from "../../lib/logging/logger-configuration.ts";
import { REDACTED } from "../../lib/logging/redaction.ts";
import { secretValues } from "../../lib/logging/secret-values.ts";
import { PROCESS } from "../support/configuration.ts";

const SECRET = "a-secret-of-the-vault";

function logged(change: Partial<LoggerConfiguration>, verbose = false): readonly string[] {
  const lines: string[] = [];
  const secrets = secretValues();
  secrets.add(SECRET);
  const logger = configuredLogger({
    configuration: { ...PROCESS.logger, ...change },
    verbose,
    write: (line) => lines.push(line),
    clock: { now: () => Date.UTC(2026, 10, 20, 9, 30, 0, 120) },
    soid: "me",
    scope: { current: () => ({ requestId: "r1", sessionId: "s1" }) },
    secrets,
  });
  const request = logger.with({ tool: "notes" });
  request.debug("details");
  request.info("done", { status: 200, caller: "client_1" });
  request.warn(`not ${SECRET}`, { cause: `was ${SECRET}`, agent: "a" });
  return lines;
}

describe("an entry looks as the configuration says", () => {
  test("text, with the fields as they come and the instance last", () => {
    expect(logged({ jsonOutput: false })).toEqual([
      "2026-11-20T09:30:00.12Z DEBUG details tool=notes requestId=r1 sessionId=s1 soid=me",
      "2026-11-20T09:30:00.12Z INFO  done tool=notes requestId=r1 sessionId=s1 status=200 caller=client_1 soid=me",
      `2026-11-20T09:30:00.12Z WARN  not ${REDACTED} tool=notes requestId=r1 sessionId=s1 cause="was ${REDACTED}" agent=a soid=me`,
    ]);
  });

  test("text with ordered fields", () => {
    expect(logged({ jsonOutput: false, fieldOrdering: true, timeFormat: "Kitchen" })).toEqual([
      "9:30AM DEBUG details soid=me requestId=r1 sessionId=s1 tool=notes",
      "9:30AM INFO  done soid=me requestId=r1 sessionId=s1 caller=client_1 status=200 tool=notes",
      `9:30AM WARN  not ${REDACTED} soid=me requestId=r1 sessionId=s1 agent=a cause="was ${REDACTED}" tool=notes`,
    ]);
  });

  test("JSON, with the fields as they come", () => {
    expect(logged({ level: "warn" })).toEqual([
      `{"time":"2026-11-20T09:30:00.12Z","level":"warn","msg":"not ${REDACTED}","soid":"me","tool":"notes","requestId":"r1","sessionId":"s1","cause":"was ${REDACTED}","agent":"a"}`,
    ]);
  });

  test("JSON with ordered fields, and times as numbers where the format is one", () => {
    expect(logged({ level: "info", fieldOrdering: true, timeFormat: "UnixMilli" })).toEqual([
      '{"time":1795167000120,"level":"info","msg":"done","soid":"me","requestId":"r1","sessionId":"s1","caller":"client_1","status":200,"tool":"notes"}',
      `{"time":1795167000120,"level":"warn","msg":"not ${REDACTED}","soid":"me","requestId":"r1","sessionId":"s1","agent":"a","cause":"was ${REDACTED}","tool":"notes"}`,
    ]);
  });
});

test.each([
  ["debug", false, 3],
  ["info", false, 2],
  ["warn", false, 1],
  ["error", false, 0],
  ["error", true, 3],
] as const)("level %s, verbose %s: %d of a debug, an info and a warn entry", (level, verbose, expected) => {
  expect(logged({ level }, verbose)).toHaveLength(expected);
});
