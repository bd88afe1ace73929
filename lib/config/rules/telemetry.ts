import type { Path } from "../path.ts";
import { indexesOf, type Rule, type RuleContext, reportUnlessOne } from "./rule.ts";

const READERS = ["telemetry", "metrics", "readers"];
const PROCESSORS = ["telemetry", "traces", "processors"];
const DEFAULTS = { maxQueueSize: 2_048, maxExportBatchSize: 512 };

/** What the keys of an exporter and of a span processor need of each other. */
export const telemetryRules: Rule = (context) => {
  for (const exporter of otlpPaths(context)) exporterRules(context, exporter);
  for (const index of indexesOf(context.at(...PROCESSORS))) {
    reportUnlessOne(context, [...PROCESSORS, index], ["simple", "batch"]);
    batchRules(context, [...PROCESSORS, index, "batch"]);
  }
};

/** Where the sections of the exporters stand. */
export function otlpPaths({ at }: RuleContext): readonly Path[] {
  const sections = [
    ...indexesOf(at(...READERS)).map((index) => [...READERS, index, "periodic"]),
    ...indexesOf(at(...PROCESSORS)).map((index) => [...PROCESSORS, index, "simple"]),
    ...indexesOf(at(...PROCESSORS)).map((index) => [...PROCESSORS, index, "batch"]),
  ];
  return sections.map((path) => [...path, "exporter", "otlp"]).filter((path) => at(...path) !== undefined);
}

function exporterRules({ at, report }: RuleContext, path: Path): void {
  const [certificate, key] = [at(...path, "clientCertificate"), at(...path, "clientKey")];
  if (certificate !== undefined && key === undefined) {
    report([...path, "clientKey"], "required with clientCertificate; accepted: the path of a PEM file");
  }
  if (key !== undefined && certificate === undefined) {
    report([...path, "clientCertificate"], "required with clientKey; accepted: the path of a PEM file");
  }
  if (at(...path, "insecure") === true && at(...path, "certificate") !== undefined) {
    report(
      [...path, "insecure"],
      "found true beside certificate, which nothing would look at; accepted: one of the two",
    );
  }
}

function batchRules({ at, report, shown }: RuleContext, path: Path): void {
  const [queuePath, sizePath] = [
    [...path, "maxQueueSize"],
    [...path, "maxExportBatchSize"],
  ];
  const [queue = DEFAULTS.maxQueueSize, size = DEFAULTS.maxExportBatchSize] = [at(...queuePath), at(...sizePath)];
  if (typeof queue !== "number" || typeof size !== "number" || size <= queue || queue < 1) return;
  if (at(...sizePath) === undefined) {
    report(queuePath, `found ${shown(...queuePath)}; accepted: at least maxExportBatchSize, ${size} by default`);
  } else {
    const limit = at(...queuePath) === undefined ? `${queue} by default` : shown(...queuePath);
    report(sizePath, `found ${shown(...sizePath)}; accepted: at most maxQueueSize, ${limit}`);
  }
}
