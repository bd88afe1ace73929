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
    if (isMeasurable(inputOf(length), work)) return Math.min(...doublings(length, inputOf, work));
  }
  return 1;
}

/** As far from linear as from quadratic. */
export const SUPER_LINEAR = 2 * Math.SQRT2;

/** By the clock on the wall, which has fine steps and never shows less than the work took. */
function isMeasurable<Input>(input: Input, work: (input: Input) => unknown): boolean {
  const times = Array.from({ length: 4 }, () => {
    const before = performance.now();
    work(input);
    return performance.now() - before;
  });
  return Math.min(...times) >= MEASURABLE_MS;
}

function doublings<Input>(
  length: number,
  inputOf: (length: number) => Input,
  work: (input: Input) => unknown,
): number[] {
  const times = Array.from({ length: DOUBLINGS + 1 }, (_, index) => timeOf(inputOf(length * 2 ** index), work));
  return times.slice(1).map((time, index) => time / (times[index] as number));
}

/** Many times the steps of 4 or 10 ms in which a thread's clock moves on some machines. */
const TOGETHER_MS = 60;

/** Milliseconds of this thread's own time in one of several runs: what else the machine does is no part of it. */
function timeOf<Input>(input: Input, work: (input: Input) => unknown): number {
  const before = atStep();
  for (let runs = 1; ; runs += 1) {
    work(input);
    const together = cpuTime() - before;
    if (together >= TOGETHER_MS) return together / runs;
  }
}

/** Waits until the thread's clock moves, so that no part of a step is counted. */
function atStep(): number {
  const before = cpuTime();
  for (;;) {
    const now = cpuTime();
    if (now > before) return now;
  }
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
