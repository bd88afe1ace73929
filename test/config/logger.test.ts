import { describe, expect, test } from "vitest";
import { TIME_FORMATS } from "../../lib/logging/time-format.ts";
import { configurationOf, mistakes } from "./support.ts";

const logger = (keys: string) => `version: 1\nlogger: {${keys}}`;

describe("logger", () => {
  test("every key is taken from the document", async () => {
    const keys =
      "level: warn, jsonOutput: true, timeFormat: Kitchen, logSessionID: true, fieldOrdering: {enabled: true}";
    expect((await configurationOf(logger(keys))).logger).toEqual({
      level: "warn",
      jsonOutput: true,
      timeFormat: "Kitchen",
      logSessionID: true,
      fieldOrdering: true,
    });
  });

  test.each(TIME_FORMATS)("the time format %s is accepted", async (format) => {
    expect(await mistakes(logger(`timeFormat: ${format}`))).toEqual([]);
  });

  test.each([
    ["level: loud", 'level: found "loud"; accepted: debug, info, warn, error'],
    ["level: wran", 'accepted: debug, info, warn, error; did you mean "warn"?'],
    ["timeFormat: rfc3339", 'did you mean "RFC3339"?'],
    ['timeFormat: ""', "timeFormat: found empty text; accepted: ANSIC, UnixDate"],
    ['timeFormat: "2006-01-02"', "accepted: ANSIC, UnixDate"],
    ["fieldOrdering: true", "fieldOrdering: found the boolean true; accepted: a mapping of keys"],
    ["fieldOrdering: [enabled]", "fieldOrdering: found a list; accepted: a mapping of keys"],
    ['logSessionID: "yes"', 'logSessionID: found "yes"; accepted: true or false'],
  ])("%s is refused", async (keys, message) => {
    expect(await mistakes(logger(keys))).toEqual([expect.stringContaining(message)]);
  });
});
