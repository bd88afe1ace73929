import { expect, test } from "vitest";
import { abortWith, eitherSignal } from "../../lib/kernel/abort.ts";

test("a controller aborts with a signal, and with its reason", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  abortWith(one, other.signal);
  expect(one.signal.aborted).toBe(false);
  other.abort("gone");
  expect(one.signal.reason).toBe("gone");
});

test("a controller aborts at once with a signal that has", () => {
  const one = new AbortController();
  abortWith(one, AbortSignal.abort("gone before"));
  expect(one.signal.reason).toBe("gone before");
});

test("a signal that nobody cares about any more aborts nothing", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  abortWith(one, other.signal)();
  other.abort();
  expect(one.signal.aborted).toBe(false);
});

test.each([0, 1])("either of two signals aborts, and the first one tells why", (first) => {
  const both = [new AbortController(), new AbortController()] as const;
  const { signal } = eitherSignal(both[0].signal, both[1].signal);
  both[first]?.abort("first");
  both[1 - first]?.abort("second");
  expect(signal.reason).toBe("first");
});

test("neither of two aborts what is over", () => {
  const both = [new AbortController(), new AbortController()] as const;
  const { signal, forget } = eitherSignal(both[0].signal, both[1].signal);
  forget();
  for (const controller of both) controller.abort();
  expect(signal.aborted).toBe(false);
});
