import { residentMemory } from "./process-usage.ts";

/** Resident memory of a process over a time, bytes. */
export interface MemorySamples {
  readonly start: number;
  /** When half of the time had passed. */
  readonly half: number;
  readonly end: number;
  readonly max: number;
}

/** Looks once a second until it is stopped, or as often as is said, milliseconds. */
export function sampleMemory(pid: number, interval = 1000): { stop(): MemorySamples } {
  const samples = [residentMemory(pid)];
  const timer = setInterval(() => samples.push(residentMemory(pid)), interval);
  return {
    stop: () => {
      clearInterval(timer);
      samples.push(residentMemory(pid));
      const at = (share: number) => samples[Math.floor((samples.length - 1) * share)] as number;
      return { start: at(0), half: at(0.5), end: at(1), max: Math.max(...samples) };
    },
  };
}
