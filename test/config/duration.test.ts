import { expect, test } from "vitest";
import { parseDuration } from "../../lib/config/duration.ts";

test.each([
  ["250ms", 250],
  ["30s", 30_000],
  ["15m", 900_000],
  ["24h", 86_400_000],
  ["1h30m", 5_400_000],
  ["1.5s", 1_500],
  ["0s", 0],
])("%s is %d milliseconds", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each(["", "30", "-1s", "1 s", "s", "1d", "1e3s", "٣s", "9".repeat(60)])("%s is no duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test("a duration beyond exact numbers is refused", () => {
  expect(parseDuration("9999999999999999h")).toBeUndefined();
});
