import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { background } from "../../infra/background.ts";
import { edgeHeartbeat } from "../../infra/edge/heartbeat.ts";
import { processSource, startHeartbeat } from "../../infra/node/heartbeat.ts";
import { heartbeat } from "../../lib/application/heartbeat/heartbeat.ts";
import { type HeartbeatSource, UNKNOWN } from "../../lib/application/heartbeat/source.ts";
import type { HealthConfiguration } from "../../lib/config/configuration.ts";
import { VERSION } from "../../lib/kernel/version.ts";
import { lineLogger } from "../../lib/logging/line-logger.ts";
import { jsonLine } from "../../lib/logging/log-line.ts";
import { PROCESS } from "../support/configuration.ts";
import { inProcessConfiguration } from "../support/in-process.ts";

const MINUTE = 60_000;
const SOURCE: HeartbeatSource = {
  measure: () => ({ cpuCount: 4, cpuUsage: 0.25, totalMemory: 2_048, memoryUsage: 1_024, activeResources: 7 }),
};

let now: number;
let lines: string[];
let settings: HealthConfiguration["heartbeat"];
beforeEach(() => {
  [now, lines, settings] = [Date.UTC(2026, 10, 20), [], { disabled: false, level: "info", interval: MINUTE }];
});

const clock = { now: () => now };
const logger = lineLogger({ level: "debug", format: jsonLine, write: (line) => lines.push(line), clock, soid: "me" });
const dependencies = {
  clock,
  logger,
  configuration: () => ({
    revision: 1,
    configuration: { ...inProcessConfiguration, health: { ...PROCESS.health, heartbeat: settings } },
  }),
};
const beats = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "heartbeat");

describe("the heartbeat entry", () => {
  test("has the fields of the specification, the instance's soid, and no others", () => {
    heartbeat(dependencies, SOURCE)();
    expect(beats()).toEqual([
      {
        time: "2026-11-20T00:00:00Z",
        level: "info",
        msg: "heartbeat",
        soid: "me",
        orchestrator_version: VERSION,
        config_version: "1",
        cpu_count: 4,
        cpu_usage: 0.25,
        total_memory: 2_048,
        memory_usage: 1_024,
        active_goroutines: 7,
      },
    ]);
  });

  test("leaves out what the runtime does not tell", () => {
    heartbeat(dependencies, UNKNOWN)();
    expect(beats().map((beat) => Object.keys(beat))).toEqual([
      ["time", "level", "msg", "soid", "orchestrator_version", "config_version"],
    ]);
  });

  test("has the configured level, and is not written when it is disabled", () => {
    settings = { ...settings, level: "warn" };
    const beat = heartbeat(dependencies, SOURCE);
    beat();
    settings = { ...settings, disabled: true };
    beat();
    expect(beats().map(({ level }) => level)).toEqual(["warn"]);
  });
});

describe("where only requests tell that time passes", () => {
  const requests = () => {
    const beat = edgeHeartbeat(dependencies, UNKNOWN);
    return async () => {
      const { waitUntil, finish } = background();
      beat.onRequest(waitUntil);
      await finish();
      return beats().length;
    };
  };

  test("the first request beats, and of the later ones the first after each interval", async () => {
    const request = requests();
    expect(await request()).toBe(1);
    now += MINUTE - 1;
    expect([await request(), await request()]).toEqual([1, 1]);
    now += 1;
    expect([await request(), await request()]).toEqual([2, 2]);
    now += 10 * MINUTE;
    expect([await request(), await request()]).toEqual([3, 3]);
  });

  test("an interval that changes counts at once", async () => {
    const request = requests();
    await request();
    now += 1_000;
    settings = { ...settings, interval: 1_000 };
    expect(await request()).toBe(2);
  });

  test("a clock that was set back does not silence it", async () => {
    const request = requests();
    await request();
    now -= 60 * MINUTE;
    expect([await request(), await request()]).toEqual([2, 2]);
  });

  test("the answer does not wait for it", () => {
    const work: Promise<unknown>[] = [];
    edgeHeartbeat(dependencies, UNKNOWN).onRequest((promise) => void work.push(promise));
    expect([beats().length, work.length]).toEqual([0, 1]);
  });
});

describe("where the platform rings once a minute, also without requests", () => {
  const HOUR = 60 * MINUTE;
  /** Beats of the minutes of an hour, each of which another instance hears of. */
  const inAnHour = async (interval: number) => {
    settings = { ...settings, interval };
    for (let minute = 0; minute < 60; minute++) {
      const heard = now + minute * MINUTE + 4_000;
      await edgeHeartbeat(dependencies, UNKNOWN).onSchedule({ time: heard, mayWait: false });
    }
    return beats().length;
  };

  test.each([
    ["once for each interval", 5 * MINUTE, 12],
    ["once for each interval of no whole minutes", 1.5 * MINUTE, 40],
    ["once for an interval of an hour", HOUR, 1],
    ["once a minute for an interval of seconds", 10_000, 60],
  ])("instances that live for a minute beat %s", async (_, interval, count) => {
    expect(await inAnHour(interval)).toBe(count);
  });

  test("a beat of the schedule is the last one for requests of the same instance", async () => {
    const beat = edgeHeartbeat(dependencies, UNKNOWN);
    await beat.onSchedule({ time: now, mayWait: false });
    const { waitUntil, finish } = background();
    beat.onRequest(waitUntil);
    await finish();
    expect(beats()).toHaveLength(1);
  });

  test("an instance that a request made beat since the multiple does not beat again, one of before does", async () => {
    const beat = edgeHeartbeat(dependencies, UNKNOWN);
    const request = async () => {
      const { waitUntil, finish } = background();
      beat.onRequest(waitUntil);
      await finish();
    };
    const event = now;
    now += 2_000;
    await request();
    now += 2_000;
    await beat.onSchedule({ time: event, mayWait: false });
    expect(beats()).toHaveLength(1);
    now = event + MINUTE;
    await beat.onSchedule({ time: now, mayWait: false });
    expect(beats()).toHaveLength(2);
    // A clock that was set back does not silence it.
    now = event - 60 * MINUTE;
    await beat.onSchedule({ time: now, mayWait: false });
    expect(beats()).toHaveLength(3);
  });

  test("nothing is written when it is disabled, and nothing for an event without a time", async () => {
    settings = { ...settings, disabled: true };
    await edgeHeartbeat(dependencies, SOURCE).onSchedule({ time: now, mayWait: true });
    settings = { ...settings, disabled: false };
    await edgeHeartbeat(dependencies, SOURCE).onSchedule({ time: Number.NaN, mayWait: false });
    expect(beats()).toEqual([]);
  });

  describe("and waiting costs nothing", () => {
    beforeEach(() => void vi.useFakeTimers({ now }));
    afterEach(() => void vi.useRealTimers());
    const moving = { ...dependencies, clock: { now: () => Date.now() } };

    test("an interval of seconds is kept within the minute", async () => {
      settings = { ...settings, interval: 20_000 };
      const done = edgeHeartbeat(moving, UNKNOWN).onSchedule({ time: now, mayWait: true });
      await vi.advanceTimersByTimeAsync(0);
      expect(beats()).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(20_000);
      expect(beats()).toHaveLength(2);
      await vi.advanceTimersByTimeAsync(20_000);
      await done;
      expect(beats()).toHaveLength(3);
    });

    test("an event that comes late makes up for one beat", async () => {
      settings = { ...settings, interval: 10_000 };
      vi.setSystemTime(now + 45_000);
      const done = edgeHeartbeat(moving, UNKNOWN).onSchedule({ time: now, mayWait: true });
      await vi.advanceTimersByTimeAsync(MINUTE);
      await done;
      // That of second 40, which is over, and that of second 50.
      expect(beats()).toHaveLength(2);
    });
  });
});

describe("on Node", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("it beats at once and every interval, until it is stopped", () => {
    const running = startHeartbeat(dependencies, SOURCE);
    expect(beats()).toHaveLength(1);
    vi.advanceTimersByTime(MINUTE - 1);
    expect(beats()).toHaveLength(1);
    vi.advanceTimersByTime(1 + 2 * MINUTE);
    expect(beats()).toHaveLength(4);
    running.stop();
    vi.advanceTimersByTime(10 * MINUTE);
    expect(beats()).toHaveLength(4);
  });

  test("it begins to beat when it is enabled later", () => {
    settings = { ...settings, disabled: true };
    const running = startHeartbeat(dependencies, SOURCE);
    vi.advanceTimersByTime(MINUTE);
    settings = { ...settings, disabled: false };
    vi.advanceTimersByTime(MINUTE);
    expect(beats()).toHaveLength(1);
    running.stop();
  });

  test("an interval of months is no interval of nothing", () => {
    settings = { ...settings, interval: 90 * 24 * 60 * MINUTE };
    const running = startHeartbeat(dependencies, SOURCE);
    vi.advanceTimersByTime(60 * MINUTE);
    expect(beats()).toHaveLength(1);
    running.stop();
  });
});

describe("what a process tells about itself", () => {
  test("shares are between 0 and 1, and memory is of the process and its limit", () => {
    const source = processSource();
    for (const { cpuCount, cpuUsage, totalMemory, memoryUsage, activeResources } of [
      source.measure(),
      source.measure(),
    ]) {
      expect(cpuCount).toBeGreaterThanOrEqual(1);
      expect(cpuUsage).toBeGreaterThanOrEqual(0);
      expect(cpuUsage).toBeLessThanOrEqual(1);
      expect(memoryUsage).toBeGreaterThan(1_000_000);
      expect(totalMemory).toBeGreaterThan(memoryUsage ?? 0);
      expect(Number.isInteger(activeResources)).toBe(true);
    }
  });

  test("a process that works all the time uses its share of all CPUs", () => {
    const source = processSource();
    source.measure();
    const end = performance.now() + 200;
    while (performance.now() < end) JSON.stringify(lines);
    const { cpuCount, cpuUsage } = source.measure();
    expect((cpuUsage ?? 0) * (cpuCount ?? 1)).toBeGreaterThan(0.05);
  });

  test("on Lambda its memory is what the function has", () => {
    const { totalMemory } = processSource({ AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512" }).measure();
    expect(totalMemory).toBe(512 * 1024 * 1024);
  });
});
