import type { Rule } from "./rule.ts";

/** An owner comes back with a setup token, which the instance makes by itself only while there is no owner. */
export const consoleRules: Rule = ({ at, report }) => {
  if (at("console", "recoverOwner") === undefined || at("console", "setupToken") !== undefined) return;
  report(["console", "recoverOwner"], "needs console.setupToken; accepted: both, the token with a value never used");
};
