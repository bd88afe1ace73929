import { describe, expect, test } from "vitest";
import { begun, type FetchState, failed, isDue, statusOf, succeeded, UNTRIED } from "../../lib/kernel/fetch-state.ts";

const DAY = 86_400_000;
const START = Date.UTC(2027, 0, 1);

/** The pauses after so many failures in a row, milliseconds. */
function pauses(count: number, jitter: number): readonly number[] {
  let state: FetchState<never> = UNTRIED;
  let now = START;
  return Array.from({ length: count }, () => {
    state = failed(begun(state, now), { beganAt: now, now: now + 5, jitter });
    const pause = state.dueAt - (now + 5);
    now = state.dueAt;
    return pause;
  });
}

const failedAt = <T>(state: FetchState<T>, now: number) => failed(state, { beganAt: now - 1, now, jitter: 0 });

describe("what is fetched from elsewhere", () => {
  test("is unknown and due at first, and still unknown while the first attempt is under way", () => {
    expect(statusOf(UNTRIED)).toBe("unknown");
    expect(isDue(UNTRIED, START)).toBe(true);
    const state = begun(UNTRIED, START);
    expect(statusOf(state)).toBe("unknown");
    expect(isDue(state, START)).toBe(false);
  });

  test("is up once it was had, and due again when the refresh interval is over", () => {
    const state = succeeded("value", START, DAY);
    expect(state).toMatchObject({ value: "value", failures: 0 });
    expect(statusOf(state)).toBe("up");
    expect(isDue(state, START + DAY - 1)).toBe(false);
    expect(isDue(state, START + DAY)).toBe(true);
  });

  test("is down when it could not be had, and is tried again after 1, 2, 4, 8, 16 and then every 30 seconds", () => {
    expect(statusOf(failedAt(UNTRIED, START))).toBe("down");
    expect(pauses(8, 0)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test("is tried again half a pause earlier at most, so that many do not come back together", () => {
    expect(pauses(6, 1)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000]);
    expect(pauses(200, 0.5).at(-1)).toBe(22_500);
  });

  test("stays up with its last value when a refresh fails, and the next success ends the row", () => {
    const stale = failedAt(failedAt(succeeded("old", START, DAY), START + DAY), START + DAY + 1_000);
    expect(stale).toMatchObject({ value: "old", failures: 2 });
    expect(statusOf(stale)).toBe("up");
    expect(isDue(stale, START + DAY + 2_999)).toBe(false);
    expect(isDue(stale, START + DAY + 3_000)).toBe(true);
    expect(succeeded("new", START + DAY + 3_000, DAY)).toMatchObject({ value: "new", failures: 0 });
  });

  test("counts attempts that ran side by side and failed as one", () => {
    const first = failed(begun(UNTRIED, START), { beganAt: START, now: START + 50, jitter: 0 });
    const second = failed(first, { beganAt: START + 10, now: START + 60, jitter: 0 });
    expect(second).toMatchObject({ failures: 1, dueAt: START + 1_050 });
    expect(failed(second, { beganAt: START + 1_050, now: START + 1_060, jitter: 0 }).failures).toBe(2);
  });

  test("is due again when an attempt never ends", () => {
    const lost = begun(UNTRIED, START);
    expect(isDue(lost, START + 29_999)).toBe(false);
    expect(isDue(lost, START + 30_000)).toBe(true);
  });

  test("does not wait for a time that a clock set back has made distant", () => {
    const yesterday = START - DAY;
    expect(isDue(failedAt(UNTRIED, START), yesterday)).toBe(true);
    expect(isDue(succeeded("value", START, DAY), yesterday)).toBe(true);
    expect(isDue(begun(UNTRIED, START), yesterday)).toBe(true);
  });
});
