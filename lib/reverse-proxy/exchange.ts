/**
 * `unreachable`: no answer began. `malformed`: one began that is none of HTTP's. `client_left`: the client went away, or fell silent
 * in the middle of its body or of the answer.
 */
export type CarryFailure = "unreachable" | "timeout" | "too_large" | "client_left" | "malformed";

/** One request and its answer. It ends once: whole, or broken off, and then both sides learn why. */
export interface Exchange {
  /** Aborts when it is broken off, and only then. */
  readonly signal: AbortSignal;
  /** Something is to come, or to be taken, within so many milliseconds, in place of what was expected before. */
  expect(milliseconds: number, otherwise: CarryFailure): void;
  /** Nothing is expected. */
  rest(): void;
  /** The same, of no effect once an answer began: then the answer alone is waited for. */
  expectUnanswered(milliseconds: number, otherwise: CarryFailure): void;
  /** An answer began. */
  answered(): void;
  /** The first reason counts. */
  breakOff(reason: CarryFailure, cause: unknown): void;
  /** The answer is whole. */
  end(): void;
  failure(): { readonly kind: "failed"; readonly reason: CarryFailure; readonly cause?: unknown };
}

/** @param client aborts when the client leaves */
export function beginExchange(client: AbortSignal): Exchange {
  const controller = new AbortController();
  const { signal } = controller;
  const deadline = createDeadline();
  let reason: CarryFailure = "client_left";
  let answered = false;
  const { rest } = deadline;
  const end = (): void => {
    deadline.end();
    client.removeEventListener("abort", leave);
  };
  const breakOff = (why: CarryFailure, cause: unknown): void => {
    if (signal.aborted) return;
    reason = why;
    end();
    controller.abort(cause);
  };
  const expect = (milliseconds: number, otherwise: CarryFailure): void => {
    if (signal.aborted) return;
    deadline.expect(milliseconds, () =>
      breakOff(otherwise, new DOMException("Nothing came, or nothing was taken.", "TimeoutError")),
    );
  };
  const leave = (): void => breakOff("client_left", client.reason);
  if (client.aborted) leave();
  else client.addEventListener("abort", leave, { once: true });
  return {
    ...{ signal, expect, rest, end, breakOff },
    expectUnanswered: (milliseconds, otherwise) => {
      if (!answered) expect(milliseconds, otherwise);
    },
    answered: () => {
      answered = true;
      rest();
    },
    failure: () => ({ kind: "failed", reason, cause: signal.reason }),
  };
}

/**
 * One timer for a time that begins anew with each chunk: workerd keeps what a timer leads to until it would have run, also where it was
 * cleared.
 */
function createDeadline() {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = Infinity;
  /** When the timer looks next. */
  let looks = Infinity;
  let late: () => void = () => undefined;
  const lookAt = (time: number): void => {
    clearTimeout(timer);
    looks = time;
    timer = setTimeout(look, Math.ceil(time - performance.now()));
  };
  function look(): void {
    looks = Infinity;
    if (due === Infinity) return;
    if (performance.now() >= due) late();
    else lookAt(due);
  }
  return {
    expect: (milliseconds: number, onLate: () => void): void => {
      due = performance.now() + milliseconds;
      late = onLate;
      if (due < looks) lookAt(due);
    },
    rest: (): void => {
      due = Infinity;
    },
    end: (): void => {
      due = Infinity;
      looks = Infinity;
      clearTimeout(timer);
    },
  };
}
