import { beforeEach, describe, expect, test } from "vitest";
import { startingWhenAsked } from "../../infra/edge/starting.ts";

const START = Date.UTC(2027, 0, 1);

let now: number;
let lines: string[];
let attempts: number;
/** Why it cannot start; it can while there is none. */
let obstacle: string | undefined;
let get: () => Promise<string | undefined>;

beforeEach(() => {
  [now, lines, attempts, obstacle] = [START, [], 0, undefined];
  const started = startingWhenAsked<string>({
    clock: { now: () => now },
    // No jitter: pauses are whole.
    random: { bytes: (length) => new Uint8Array(length) },
    write: (line) => lines.push(line),
  });
  get = () =>
    started(async () => {
      attempts += 1;
      const made = `start ${attempts}`;
      await Promise.resolve();
      if (obstacle !== undefined) throw new Error(obstacle);
      return made;
    });
});

const causes = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");

describe("an instance at the edge", () => {
  test("starts once, with its first request", async () => {
    expect([await get(), await get()]).toEqual(["start 1", "start 1"]);
    expect(attempts).toBe(1);
    expect(lines).toEqual([]);
  });

  test("starts for each of the first requests that come at once, and then stays the same", async () => {
    const made = await Promise.all([get(), get(), get()]);
    expect(attempts).toBe(3);
    expect(new Set(made)).toEqual(new Set([await get()]));
    expect(attempts).toBe(3);
  });

  test("that cannot start is tried again by a later request, after 1, 2, 4 and at most 30 seconds", async () => {
    obstacle = "the secret provider did not answer";
    expect(await get()).toBeUndefined();
    for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      const before = attempts;
      now += pause - 1;
      expect(await get()).toBeUndefined();
      expect(attempts).toBe(before);
      now += 1;
      expect(await get()).toBeUndefined();
      expect(attempts).toBe(before + 1);
    }
    obstacle = undefined;
    now += 30_000;
    expect(await get()).toBe(`start ${attempts}`);
  });

  test("is tried again by one request at a time", async () => {
    obstacle = "nothing works";
    await get();
    now += 1_000;
    obstacle = undefined;
    const made = await Promise.all([get(), get(), get()]);
    expect(made).toEqual(["start 2", undefined, undefined]);
  });

  test("logs a cause once in a row, another one when it comes, and that it starts after all", async () => {
    obstacle = "one";
    for (let n = 0; n < 3; n++) {
      await get();
      now += 30_000;
    }
    obstacle = "two";
    await get();
    expect(causes().map(({ cause }) => cause)).toEqual(["Error: one", "Error: two"]);
    obstacle = undefined;
    now += 30_000;
    await get();
    await get();
    expect(lines.filter((line) => line.includes("the configuration starts now"))).toHaveLength(1);
  });
});
