import { setTimeout as pause } from "node:timers/promises";

/** Asks until the answer is accepted; the last answer after ten seconds, for the assertion to show. */
export async function eventually<T>(ask: () => Promise<T>, accepted: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await ask();
    if (accepted(answer) || Date.now() > deadline) return answer;
    await pause(25);
  }
}
