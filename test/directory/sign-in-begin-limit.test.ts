import { expect, test } from "vitest";
import { createSignInBeginLimit } from "../../lib/directory/sign-in.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";

test("one address begins 300 sign-ins at once, and five more each second", () => {
  let now = 0;
  const limit = createSignInBeginLimit({ now: () => now });
  const admitted = (source: string, count: number) =>
    Array.from({ length: count }).filter(() => {
      try {
        limit.admit(source);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(ProblemError);
        return false;
      }
    }).length;
  expect(admitted("203.0.113.1", 400)).toBe(300);
  expect(admitted("203.0.113.2", 1)).toBe(1);
  now += 1_000;
  expect(admitted("203.0.113.1", 400)).toBe(5);
});
