import { setTimeout as pause } from "node:timers/promises";

/** Resolves when the condition holds; rejects when it still does not after 20 seconds: alarms ring after ten. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("The condition was not met within 20 seconds.");
    await pause(50);
  }
}
