import { lengthOf, type Rule, type RuleContext, reportDuplicates } from "./rule.ts";

/** Rules across `apps[]`, and keys that must be known before the document is compiled. */
export const appRules: Rule = (context) => {
  const indexes = Array.from({ length: lengthOf(context.at("apps")) }, (_, index) => index);
  reportDuplicates(
    context,
    indexes.map((index) => ["apps", index, "name"]),
    "an app name",
  );
  reportDuplicates(
    context,
    indexes.map((index) => ["apps", index, "clientID"]),
    "a client ID",
  );
  for (const index of indexes) compileTimeKeys(context, index);
};

function compileTimeKeys({ at, report }: RuleContext, index: number): void {
  const keys = [
    ["type"],
    ["name"],
    ["toolNamespace", "name"],
    ["toolNamespace", "disabled"],
    ["openapi", "spec", "uri"],
  ];
  for (const key of keys) {
    const path = ["apps", index, ...key];
    if (at(...path) === null) report(path, "found a placeholder; accepted: a value that is known at build time");
  }
}
