import type { Path } from "../path.ts";
import { connectorNames, reportUnknownName } from "./names.ts";
import { indexesOf, type Rule, type RuleContext, reportDuplicates, reportPlainHttp } from "./rule.ts";

/** Whose events are received, and what each way of delivery needs. */
export const signalRules: Rule = (context) => {
  const entries = indexesOf(context.at("signals")).map((index) => ["signals", index] as const);
  const names = connectorNames(context);
  for (const entry of entries) {
    reportUnknownName(context, [...entry, "connector"], names);
    deliveryRules(context, entry);
    // Whoever could change what comes from there could end sessions, or keep them from ending.
    for (const key of ["issuer", "jwksURL", "pollURL"]) reportPlainHttp(context, [...entry, key]);
  }
  reportDuplicates(
    context,
    entries.map((entry) => [...entry, "connector"]),
    "a connector",
  );
};

function deliveryRules({ at, report }: RuleContext, entry: Path): void {
  const delivery = at(...entry, "delivery") ?? "push";
  if (delivery === "poll") {
    if (at(...entry, "pollURL") === undefined)
      report([...entry, "pollURL"], "required with delivery: poll; accepted: the transmitter's URL for it");
    if (at(...entry, "token") === undefined)
      report([...entry, "token"], "required with delivery: poll; accepted: the token that the transmitter gave out");
  }
  if (delivery !== "push") return;
  for (const key of ["pollURL", "pollInterval"].filter((one) => at(...entry, one) !== undefined))
    report([...entry, key], "needs delivery: poll; accepted: both, or neither");
}
