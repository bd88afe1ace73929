import { expect, test } from "vitest";
import { DebugModeError, isDebugMode } from "../../lib/logging/logger-configuration.ts";

test.each([
  [{ SVC_DEBUG_MODE: "true" }, true],
  [{ SVC_DEBUG_MODE: "false" }, false],
  [{ SVC_DEBUG_MODE: "" }, false],
  [{}, false],
])("%j is debug mode: %j", (environment, expected) => {
  expect(isDebugMode(environment)).toBe(expected);
});

test.each(["1", "0", "TRUE", "yes", " true", "banana"])(
  "SVC_DEBUG_MODE=%s is refused with what is accepted",
  (value) => {
    const message = `SVC_DEBUG_MODE: found ${JSON.stringify(value)}; accepted: true, false.`;
    expect(() => isDebugMode({ SVC_DEBUG_MODE: value })).toThrow(new DebugModeError(message));
  },
);
