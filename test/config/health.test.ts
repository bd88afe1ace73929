import { describe, expect, test } from "vitest";
import { configurationOf, mistakes } from "./support.ts";

const heartbeat = (keys: string) => `version: 1\nhealth: {heartbeat: {${keys}}}`;

describe("health", () => {
  test("location and heartbeat are taken from the document", async () => {
    const text = "version: 1\nhealth: {location: /up, heartbeat: {disabled: true, logLevel: debug, interval: 1m30s}}";
    expect((await configurationOf(text)).health).toEqual({
      location: "/up",
      heartbeat: { disabled: true, level: "debug", interval: 90_000 },
    });
  });

  test("the heartbeat beats every minute at info unless the document says otherwise", async () => {
    expect((await configurationOf(heartbeat("disabled: false"))).health.heartbeat).toEqual({
      disabled: false,
      level: "info",
      interval: 60_000,
    });
  });

  test.each(["0s", "0ms", "-5s", "60", "600h"])(
    "the heartbeat interval must be positive and one that a timer can wait for: not %s",
    async (interval) => {
      const positive = "accepted: a positive duration such as 250ms, 30s, 15m or 1h30m, at most 24 days";
      expect(await mistakes(heartbeat(`interval: ${interval}`))).toEqual([
        expect.stringMatching(new RegExp(`^2:32: health.heartbeat.interval: found .*; ${positive}`)),
      ]);
    },
  );

  test.each([
    ["logLevel: warning", 'found "warning"; accepted: debug, info, warn, error'],
    ["disabled: 1", "found the number 1; accepted: true or false"],
    ["intervall: 1s", 'unknown key; did you mean "interval"?'],
  ])("%s is refused", async (keys, message) => {
    expect(await mistakes(heartbeat(keys))).toEqual([expect.stringContaining(message)]);
  });
});
