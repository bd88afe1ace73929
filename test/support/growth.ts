/** Time that counts: below it a measurement is noise. */
const MEASURABLE_MS = 1;
const GREATEST = 1 << 14;

/**
 * How much longer `work` takes when its input is sixteen times as long: about 16 when it is linear and 256 when quadratic.
 * Starts with the first length at which the work can be measured; 1 when sixteen thousand is still too little to measure:
 * what is quadratic takes long enough there.
 */
export function growth<Input>(inputOf: (length: number) => Input, work: (input: Input) => unknown): number {
  for (let length = 1_000; length <= GREATEST; length *= 2) {
    const short = best(inputOf(length), work);
    if (short >= MEASURABLE_MS) return best(inputOf(16 * length), work) / short;
  }
  return 1;
}

/** As far from linear as from quadratic. */
export const SUPER_LINEAR = 64;

/** Milliseconds of this thread's own time in the shortest of a few runs: what else the machine does is no part of it. */
function best<Input>(input: Input, work: (input: Input) => unknown): number {
  const times = Array.from({ length: 4 }, () => {
    const before = cpuTime();
    work(input);
    return cpuTime() - before;
  });
  return Math.min(...times);
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
