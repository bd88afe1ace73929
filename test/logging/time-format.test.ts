import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TIME_FORMATS, type TimeFormat, timeFormat } from "../../lib/logging/time-format.ts";

/** What `time.Now().UTC().Format` of Go prints for these. */
const MORNING = Date.UTC(2026, 0, 2, 0, 4, 5, 60);
const AFTERNOON = Date.UTC(2026, 10, 20, 13, 34, 56, 0);
const KNOWN: Readonly<Record<TimeFormat, readonly [morning: string | number, afternoon: string | number]>> = {
  Layout: ["01/02 12:04:05AM '26 +0000", "11/20 01:34:56PM '26 +0000"],
  ANSIC: ["Fri Jan  2 00:04:05 2026", "Fri Nov 20 13:34:56 2026"],
  UnixDate: ["Fri Jan  2 00:04:05 UTC 2026", "Fri Nov 20 13:34:56 UTC 2026"],
  RubyDate: ["Fri Jan 02 00:04:05 +0000 2026", "Fri Nov 20 13:34:56 +0000 2026"],
  RFC822: ["02 Jan 26 00:04 UTC", "20 Nov 26 13:34 UTC"],
  RFC822Z: ["02 Jan 26 00:04 +0000", "20 Nov 26 13:34 +0000"],
  RFC850: ["Friday, 02-Jan-26 00:04:05 UTC", "Friday, 20-Nov-26 13:34:56 UTC"],
  RFC1123: ["Fri, 02 Jan 2026 00:04:05 UTC", "Fri, 20 Nov 2026 13:34:56 UTC"],
  RFC1123Z: ["Fri, 02 Jan 2026 00:04:05 +0000", "Fri, 20 Nov 2026 13:34:56 +0000"],
  RFC3339: ["2026-01-02T00:04:05Z", "2026-11-20T13:34:56Z"],
  RFC3339Nano: ["2026-01-02T00:04:05.06Z", "2026-11-20T13:34:56Z"],
  Kitchen: ["12:04AM", "1:34PM"],
  Stamp: ["Jan  2 00:04:05", "Nov 20 13:34:56"],
  StampMilli: ["Jan  2 00:04:05.060", "Nov 20 13:34:56.000"],
  StampMicro: ["Jan  2 00:04:05.060000", "Nov 20 13:34:56.000000"],
  StampNano: ["Jan  2 00:04:05.060000000", "Nov 20 13:34:56.000000000"],
  DateTime: ["2026-01-02 00:04:05", "2026-11-20 13:34:56"],
  DateOnly: ["2026-01-02", "2026-11-20"],
  TimeOnly: ["00:04:05", "13:34:56"],
  Unix: [1_767_312_245, 1_795_181_696],
  UnixMilli: [1_767_312_245_060, 1_795_181_696_000],
  UnixMicro: [1_767_312_245_060_000, 1_795_181_696_000_000],
  UnixNano: [1_767_312_245_060_000_000, 1_795_181_696_000_000_000],
};

describe("each format that can be configured prints what Go prints", () => {
  test.each(TIME_FORMATS)("%s", (name) => {
    const format = timeFormat(name);
    expect([format(MORNING), format(AFTERNOON)]).toEqual(KNOWN[name]);
    expect(format(MORNING), "also a time that it printed before").toBe(KNOWN[name][0]);
  });
});

/** Seconds of the years 1970 to 9999, with their milliseconds. */
const times = fc.integer({ min: 0, max: 253_402_300_799_999 });

test("a nanosecond format has as many digits as are not zero, and means the same time", () => {
  fc.assert(
    fc.property(times, (time) => {
      const text = String(timeFormat("RFC3339Nano")(time));
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,2}[1-9])?Z$/);
      expect(Date.parse(text)).toBe(time);
    }),
  );
});

test("formats that tell the whole time agree with what the platform makes of it", () => {
  const seconds = (time: number) => time - (time % 1000);
  fc.assert(
    fc.property(times, (time) => {
      const utc = new Date(time).toUTCString();
      expect(timeFormat("RFC1123")(time)).toBe(utc.replace("GMT", "UTC"));
      for (const name of ["RFC3339", "RFC1123Z", "UnixDate"]) {
        expect(Date.parse(String(timeFormat(name)(time))), name).toBe(seconds(time));
      }
      for (const name of ["ANSIC", "DateTime"]) {
        expect(Date.parse(`${timeFormat(name)(time)} UTC`), name).toBe(seconds(time));
      }
      expect(timeFormat("Kitchen")(time)).toBe(
        new Date(time)
          .toLocaleTimeString("en-US", { timeZone: "UTC", hour: "numeric", minute: "2-digit" })
          .replace(/\s/, ""),
      );
    }),
  );
});

test("times since the epoch are whole numbers that differ by powers of a thousand, also as JSON", () => {
  fc.assert(
    fc.property(times, (time) => {
      expect(timeFormat("Unix")(time)).toBe(Math.floor(time / 1000));
      expect(JSON.stringify(timeFormat("UnixMilli")(time))).toBe(`${time}`);
      expect(JSON.stringify(timeFormat("UnixMicro")(time))).toBe(time === 0 ? "0" : `${time}000`);
      const now = AFTERNOON + (time % 1e9);
      expect(JSON.stringify(timeFormat("UnixNano")(now))).toBe(`${now}000000`);
    }),
  );
});

test("a name that is none prints as the default does", () => {
  expect(timeFormat("constructor")(MORNING)).toBe(KNOWN.RFC3339Nano[0]);
});
