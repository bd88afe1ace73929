import { diskFlushes } from "./support/disk-flushes.ts";
import type { Finding } from "./support/finding.ts";
import { startLoadGenerator } from "./support/load.ts";
import type { BenchOptions } from "./support/options.ts";
import { times, whole } from "./support/statistics.ts";
import { type Measurement, printMeasurements, takeTurns } from "./support/turns.ts";
import { hasMemoryFolder } from "./support/workerd.ts";
import { workerdContenders } from "./support/workerd-contenders.ts";

const ROUNDS = 4;
/** Of the requests that other benchmarks send: these take several times as long. */
const SHARE = 0.5;

/** Token requests in bare workerd, beside what could limit them: its HTTP, its verifications and the disk. */
export async function benchWorkerd(options: BenchOptions): Promise<readonly Finding[]> {
  const shortened = { ...options, requests: Math.ceil(options.requests * SHARE) };
  const generator = await startLoadGenerator(options.folder);
  const contenders = await workerdContenders(shortened);
  try {
    const verifying = await contenders.verifications();
    const flushesBefore = diskFlushes(options.folder);
    const measurements = await takeTurns(
      generator,
      [
        await contenders.tokens("disk"),
        await contenders.hello(),
        verifying,
        ...(hasMemoryFolder ? [await contenders.tokens("memory")] : []),
      ],
      ROUNDS,
    );
    const flushes = (flushesBefore + diskFlushes(options.folder)) / 2;
    console.log(`\nBare workerd: ${options.connections} connections, ${ROUNDS} rounds in turns`);
    printMeasurements(measurements);
    console.log(`  The disk finishes ${whole(flushes)} flushes a second, one after the other.`);
    return summarize(measurements, verifying.verificationsPerRequest, flushes);
  } finally {
    await contenders.stop();
    await generator.stop();
  }
}

function summarize(
  measurements: readonly Measurement[],
  verificationsPerRequest: number,
  flushes: number,
): readonly Finding[] {
  const [tokens = Number.NaN, hello = Number.NaN, verifying = Number.NaN, inMemory] = measurements.map(
    ({ rate }) => rate,
  );
  const beside = (against: string, rate: number): Finding => ({
    what: "Token requests on workerd",
    measured: `${whole(tokens)}/s`,
    against: `${against}: ${whole(rate)}/s`,
    ratio: times(tokens / rate),
  });
  return [
    beside("its hello world", hello),
    beside("its ES256 verifications", verifying * verificationsPerRequest),
    ...(inMemory === undefined ? [] : [beside("the same without a disk", inMemory)]),
    beside("flushes of this disk", flushes),
  ];
}
