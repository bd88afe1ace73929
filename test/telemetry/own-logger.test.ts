import { expect, test } from "vitest";
import { asyncLogScope } from "../../infra/log-scope.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { lineLogger } from "../../lib/logging/line-logger.ts";
import { jsonLine } from "../../lib/logging/log-line.ts";
import { ownLogger } from "../../lib/telemetry/otlp/delivery-log.ts";

test("an entry about an export does not name the request that happened to cause it", () => {
  const lines: string[] = [];
  const logScope = asyncLogScope();
  const write = (line: string) => lines.push(line);
  const logger = lineLogger({ level: "info", format: jsonLine, write, clock: systemClock, soid: "s", scope: logScope });
  const own = ownLogger({ logger, logScope });
  logScope.run({ requestId: "r" }, () => {
    logger.warn("of the request");
    own.warn("of the export", { signal: "spans" });
    own.info("of the export", { signal: "spans" });
  });
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries.map(({ requestId }) => requestId)).toEqual(["r", undefined, undefined]);
  expect(entries[1]).toMatchObject({ level: "warn", msg: "of the export", signal: "spans" });
});
