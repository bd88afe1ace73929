import { aborted } from "../wire/upstream-failure.ts";

/** Resolves so many milliseconds later. @throws UpstreamFailure `aborted` when the signal aborts before */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const giveUp = (): void => over.reject(aborted());
  const timer = setTimeout(over.resolve, milliseconds);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    await over.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}
