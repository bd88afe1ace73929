/** Time that counts: below it a measurement is noise. */
const MEASURABLE_MS = 1;
const GREATEST = 1 << 14;
const DOUBLINGS = 4;

/**
 * How much longer `work` takes when its input is twice as long: about 2 when it is linear and 4 when quadratic. Starts with
 * the first length at which the work can be measured; 1 when sixteen thousand is still too little to measure: what is
 * quadratic takes long enough there. Of four doublings the smallest counts, for caches, the garbage collector
 * and other processes make those of linear work longer, and nothing makes those of quadratic work shorter.
 */
export function growth<Input>(inputOf: (length: number) => Input, work: (input: Input) => unknown): number {
  for (let length = 1_000; length <= GREATEST; length *= 2) {
    const shortest = best(inputOf(length), work);
    if (shortest >= MEASURABLE_MS) return Math.min(...doublings(shortest, length, inputOf, work));
  }
  return 1;
}

/** As far from linear as from quadratic. */
export const SUPER_LINEAR = 2 * Math.SQRT2;

function doublings<Input>(
  shortest: number,
  length: number,
  inputOf: (length: number) => Input,
  work: (input: Input) => unknown,
): number[] {
  let before = shortest;
  return Array.from({ length: DOUBLINGS }, (_, index) => {
    const time = best(inputOf(length * 2 ** (index + 1)), work);
    const ratio = time / before;
    before = time;
    return ratio;
  });
}

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
