import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { processes } from "./many/processes.ts";
import { isolates } from "./many/workerd.ts";

const QUOTA = 1_000;
const TIMES = 3;
const NAMES = Array.from({ length: TIMES }, (_, time) => [`leased ${time}`, `exact ${time}`]).flat();
const EXACT = NAMES.filter((name) => name.startsWith("exact"));
/** Each of 50 instances asks for 10 a second: the limit is reached after 2 seconds. */
const ROUNDS = 30;
const BETWEEN = 100;

test.each([
  ["isolates of workerd with one Durable Object", isolates],
  ["instances with one DynamoDB item", processes],
])(
  "51. 50 %s never let more than 1,000 through, at least 990, and exactly 1,000 where that is asked for",
  async (_, start) => {
    const instances = await start(50);
    try {
      const granted = new Map(NAMES.map((name) => [name, 0]));
      for (let round = 0; round < ROUNDS; round++) {
        const due = pause(BETWEEN);
        for (const name of await instances.take({ names: NAMES, exact: EXACT }))
          granted.set(name, (granted.get(name) ?? 0) + 1);
        await due;
      }
      for (const [name, count] of granted) {
        const atLeast = EXACT.includes(name) ? QUOTA : 990;
        expect([name, count <= QUOTA, count >= atLeast], String(count)).toEqual([name, true, true]);
      }
    } finally {
      await instances.stop();
    }
  },
);
