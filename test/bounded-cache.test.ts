import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedCache } from "../lib/kernel/bounded-cache.ts";

const CAPACITY = 4;
const key = fc.integer({ min: 0, max: 8 });
const step = fc.oneof(
  fc.record({ operation: fc.constant("put" as const), key }),
  fc.record({ operation: fc.constant("delete" as const), key }),
);

test("holds what was put last, whatever was put and deleted in between", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = boundedCache<number, string>(CAPACITY);
      // The oldest first.
      let model: readonly (readonly [key: number, value: string])[] = [];
      for (const [at, { operation, key }] of steps.entries()) {
        const others = model.filter(([known]) => known !== key);
        if (operation === "delete") {
          map.delete(key);
          model = others;
        } else {
          map.put(key, `value ${at}`);
          model = [...others, [key, `value ${at}`] as const].slice(-CAPACITY);
        }
        const expected = new Map(model);
        for (let asked = 0; asked <= 8; asked++) expect(map.get(asked)).toBe(expected.get(asked));
        expect(map.displaced()).toBe(model.length < CAPACITY ? undefined : model[0]?.[1]);
      }
    }),
  );
});
