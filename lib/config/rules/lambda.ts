import { parseDuration } from "../duration.ts";
import { lengthOf, type Rule } from "./rule.ts";

/**
 * Milliseconds that an upstream may take on Lambda. The function is ended at `timeout` of `serverless.yml`, and whoever is
 * ended waiting never completes the call's audit record; what is left is for the work before and after the call.
 */
export const LONGEST_UPSTREAM_TIMEOUT = 50_000;

/** What a document may not say when it runs on Lambda. */
export const lambdaRules: Rule = ({ at, report, shown }) => {
  for (let index = 0; index < lengthOf(at("apps")); index++) {
    const path = ["apps", index, "upstream", "timeout"] as const;
    const timeout = at(...path);
    if (at("apps", index, "type") !== "mcpBridge" || typeof timeout !== "string") continue;
    if ((parseDuration(timeout) ?? 0) > LONGEST_UPSTREAM_TIMEOUT) {
      report(path, `found ${shown(...path)}; accepted: at most 50s on Lambda`);
    }
  }
};
