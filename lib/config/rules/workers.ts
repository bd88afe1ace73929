import { indexesOf, type Rule, type RuleContext } from "./rule.ts";
import { otlpPaths } from "./telemetry.ts";

const FILES = ["certificate", "clientCertificate", "clientKey"];

/** What connections of Workers cannot have: authorities and certificates of their own, and no verification. */
export const workersRules: Rule = (context) => {
  connectorRules(context);
  exporterRules(context);
};

function connectorRules({ at, report }: RuleContext): void {
  for (const index of indexesOf(at("connectors"))) {
    if (at("connectors", index, "tls") === undefined) continue;
    report(["connectors", index, "tls"], "connections on Workers have no TLS settings of their own; accepted: none");
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
