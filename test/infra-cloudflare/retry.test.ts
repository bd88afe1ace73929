import { expect, test } from "vitest";
import { isPassing, withRetries } from "../../infra/cloudflare/retry.ts";

const failing = (message: string, more: object = {}) => Object.assign(new Error(message), more);

test.each([
  ["an object without room", failing("database or disk is full: SQLITE_FULL")],
  ["storage that fails", failing("disk I/O error: SQLITE_IOERR")],
  ["an object that has too much to do", failing("overloaded", { overloaded: true })],
])("41. %s goes away by itself, and is not asked again at once", async (_, error) => {
  let calls = 0;
  const call = () => {
    calls += 1;
    return Promise.reject(error);
  };
  expect(isPassing(error)).toBe(true);
  await expect(withRetries(call)).rejects.toBe(error);
  expect(calls).toBe(1);
});

test.each([
  ["a constraint", failing("UNIQUE constraint failed: tokens.hash: SQLITE_CONSTRAINT")],
  ["a table that is not there", failing("no such table: tokens: SQLITE_ERROR")],
  ["a defect", new TypeError("undefined is not a function")],
])("41. %s does not", (_, error) => {
  expect(isPassing(error)).toBe(false);
});
