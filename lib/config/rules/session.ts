import { parseDuration } from "../duration.ts";
import type { Rule } from "./rule.ts";

/** A session that may idle longer than it lives is a mistake. */
export const sessionRules: Rule = ({ at, report, shown }) => {
  const [idle, max] = [at("session", "lifetime", "idleTimeout"), at("session", "lifetime", "maxTimeout")];
  if (typeof idle !== "string" || typeof max !== "string") return;
  if ((parseDuration(idle) ?? 0) > (parseDuration(max) ?? Number.POSITIVE_INFINITY)) {
    const [foundIdle, limit] = [
      shown("session", "lifetime", "idleTimeout"),
      shown("session", "lifetime", "maxTimeout"),
    ];
    report(["session", "lifetime", "idleTimeout"], `found ${foundIdle}; accepted: at most maxTimeout, ${limit}`);
  }
};
