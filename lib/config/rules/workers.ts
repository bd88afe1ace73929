import { indexesOf, type Rule, type RuleContext } from "./rule.ts";
import { otlpPaths } from "./telemetry.ts";

const FILES = ["certificate", "clientCertificate", "clientKey"];

/** In which lists connections name an entry of `tls`, and where. */
const NAMING_TLS = [
  ["connectors", "tls"],
  ["apps", "upstream", "tls"],
  ["apps", "upstream", "stream", "tls"],
  ["apps", "upstream", "sse", "tls"],
] as const;

/** What connections of Workers cannot have: authorities and certificates of their own, and no verification. */
export const workersRules: Rule = (context) => {
  for (const [list, ...key] of NAMING_TLS) connectionRules(context, list, key);
  exporterRules(context);
};

function connectionRules({ at, report }: RuleContext, list: string, key: readonly string[]): void {
  for (const index of indexesOf(at(list))) {
    if (at(list, index, ...key) === undefined) continue;
    report([list, index, ...key], "connections on Workers have no TLS settings of their own; accepted: none");
  }
}

function exporterRules(context: RuleContext): void {
  const { at, report } = context;
  for (const path of otlpPaths(context)) {
    if (at(...path, "insecure") === true) {
      report([...path, "insecure"], "connections on Workers are always verified; accepted: false");
    }
    for (const key of FILES.filter((file) => at(...path, file) !== undefined)) {
      report([...path, key], "connections on Workers have no TLS settings of their own; accepted: none");
    }
  }
}
