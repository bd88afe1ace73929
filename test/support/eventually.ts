import { setTimeout as pause } from "node:timers/promises";

/** Shorter than a test may take; alarms of Durable Objects ring after ten seconds. */
const DEADLINE = 60_000;

/** Asks until the answer is accepted and resolves to it; rejects with the last answer after a minute. */
export async function eventually<T>(ask: () => Promise<T>, accepted: (answer: T) => boolean): Promise<T> {
  const end = Date.now() + DEADLINE;
  for (;;) {
    const answer = await ask();
    if (accepted(answer)) return answer;
    if (Date.now() > end) throw new Error(`not accepted within ${DEADLINE} ms: ${JSON.stringify(answer)}`);
    await pause(25);
  }
}
