import { beforeEach, expect, test } from "vitest";
import {
  CHANGED,
  DENIED,
  type Ending,
  endableBody,
  NOT_CHECKED,
  SESSION_ENDED,
  watchOver,
} from "../../lib/web-apps/stays-open.ts";
import { inProcessConfiguration } from "../support/in-process.ts";

let revision: number;
let stops: number;
let answer: () => Promise<Ending | undefined>;
let looks: number;
let ended: Ending[];
/** What the ports were asked to call, and did not take back. */
let pending: {
  readonly session: Set<() => void>;
  readonly stops: Set<() => boolean>;
  readonly timers: Map<() => void, number>;
};

beforeEach(() => {
  [revision, stops, looks, ended] = [1, 1, 0, []];
  answer = async () => undefined;
  pending = { session: new Set(), stops: new Set(), timers: new Map() };
});

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

function watch(sessionHash?: string): () => void {
  return watchOver(
    {
      sessionHash,
      decide: () => {
        looks += 1;
        return answer();
      },
      end: (ending) => void ended.push(ending),
      context: { logger: { ...quiet, with: () => quiet } as never },
    },
    {
      configuration: () => ({ revision, configuration: inProcessConfiguration }),
      knownSessions: {
        onEnd: (_, told) => {
          pending.session.add(told);
          return () => void pending.session.delete(told);
        },
      },
      instanceStops: {
        revision: () => stops,
        watch: (isStopped) => {
          const look = () => isStopped(new Map());
          pending.stops.add(look);
          return () => void pending.stops.delete(look);
        },
      },
      timers: {
        every: (milliseconds, act) => {
          pending.timers.set(act, milliseconds);
          return () => void pending.timers.delete(act);
        },
      },
    },
  );
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const tick = () => {
  for (const act of pending.timers.keys()) act();
  return settled();
};
const areForgotten = () => pending.session.size + pending.stops.size + pending.timers.size === 0;

test("is asked about at once, and every five minutes", async () => {
  watch();
  expect([...pending.timers.values()]).toEqual([300_000]);
  await tick();
  expect([looks, ended]).toEqual([2, []]);
});

const answering = (next: typeof answer) => () => {
  answer = next;
};
const changing = () => {
  revision = 2;
};

test.each([
  ["somebody is not allowed any more", DENIED, answering(async () => DENIED)],
  ["nobody is known any more", SESSION_ENDED, answering(async () => SESSION_ENDED)],
  ["the configuration is another", CHANGED, changing],
  ["it cannot be checked", NOT_CHECKED, answering(() => Promise.reject(new Error("the store is away")))],
])("ends with the next look when %s", async (_, ending, happen) => {
  watch("session");
  await tick();
  expect(ended).toEqual([]);
  happen();
  await tick();
  expect(ended).toEqual([ending]);
  expect(areForgotten()).toBe(true);
});

test("ends when its session does, and only once", async () => {
  watch("session");
  await settled();
  const [told] = pending.session;
  answer = async () => DENIED;
  told?.();
  await tick();
  expect(ended).toEqual([SESSION_ENDED]);
  expect(areForgotten()).toBe(true);
});

test("looks at each change of what is stopped, and not without one", async () => {
  watch();
  await settled();
  const [look] = pending.stops;
  look?.();
  expect(looks).toBe(1);
  stops = 2;
  look?.();
  look?.();
  await settled();
  expect([looks, ended]).toEqual([2, []]);
});

test("what is over is not watched any more", async () => {
  const stop = watch("session");
  answer = async () => DENIED;
  stop();
  await settled();
  expect(ended).toEqual([]);
  expect(areForgotten()).toBe(true);
});

test("a body is ended while its source is silent, and its source learns of it", async () => {
  let isCancelled = false;
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Uint8Array.of(1)),
    cancel: () => {
      isCancelled = true;
    },
  });
  let isOver = false;
  const { body, end } = endableBody(source, () => {
    isOver = true;
  });
  const reader = body.getReader();
  expect(await reader.read()).toMatchObject({ done: false });
  const next = reader.read();
  end();
  expect((await next).done).toBe(true);
  expect([isCancelled, isOver]).toEqual([true, true]);
});
