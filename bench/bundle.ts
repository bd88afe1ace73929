import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWorker, WORKER_SOURCE } from "../infra/build/worker-bundle.ts";
import { writeWorkerPackages } from "../infra/build/worker-packages.ts";
import { type BundleMetadata, type BundleShare, bundleShares } from "./support/bundle-shares.ts";
import { build } from "./support/edge.ts";
import type { Finding } from "./support/finding.ts";
import { gzipped, kibibytes } from "./support/sizes.ts";
import { printTable } from "./support/table.ts";

/** Gzip, bytes: the product as it is, and little besides. What grows beyond it has to say what it is worth (D237). */
const LIMIT = 590 * 1024;

/** Size of the Worker of `us` as it would be deployed, and what each dependency has in it. */
export async function benchBundle(): Promise<readonly Finding[]> {
  build("configuration.ts");
  await writeWorkerPackages();
  const folder = await mkdtemp(join(tmpdir(), "countersign-bundle-"));
  try {
    const metafile = join(folder, "meta.json");
    await bundleWorker(folder, WORKER_SOURCE, ["--env", "us", "--metafile", metafile]);
    const bundle = await readFile(join(folder, "worker.js"));
    const metadata = JSON.parse(await readFile(metafile, "utf8")) as BundleMetadata;
    const size = await gzipped(bundle);
    report(await bundleShares(metadata, size), bundle.length, size);
    return [
      {
        what: "Worker bundle, gzip",
        measured: kibibytes(size),
        against: `${kibibytes(bundle.length)} plain`,
        target: `≤ ${kibibytes(LIMIT)}`,
        met: size <= LIMIT,
      },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

function report(shares: readonly BundleShare[], bytes: number, size: number): void {
  console.log("\nWorker bundle, by origin; gzip shares are estimates that add up to the whole");
  printTable(
    ["", "minified", "gzip", "share"],
    [
      ...shares.map((share) => [
        share.origin,
        kibibytes(share.bytes),
        kibibytes(share.gzip),
        `${((share.gzip / size) * 100).toFixed(1)} %`,
      ]),
      ["the whole", kibibytes(bytes), kibibytes(size), "100.0 %"],
    ],
  );
}
