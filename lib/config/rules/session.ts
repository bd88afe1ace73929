import { sharedDomain } from "../cookie-domain.ts";
import { parseDuration } from "../duration.ts";
import type { Rule, RuleContext } from "./rule.ts";

/** Rules of `session`. */
export const sessionRules: Rule = (context) => {
  lifetimeRule(context);
  domainRules(context);
};

/** A session that may idle longer than it lives is a mistake. */
function lifetimeRule({ at, report, shown }: RuleContext): void {
  const [idle, max] = [at("session", "lifetime", "idleTimeout"), at("session", "lifetime", "maxTimeout")];
  if (typeof idle !== "string" || typeof max !== "string") return;
  if ((parseDuration(idle) ?? 0) > (parseDuration(max) ?? Number.POSITIVE_INFINITY)) {
    const [foundIdle, limit] = [
      shown("session", "lifetime", "idleTimeout"),
      shown("session", "lifetime", "maxTimeout"),
    ];
    report(["session", "lifetime", "idleTimeout"], `found ${foundIdle}; accepted: at most maxTimeout, ${limit}`);
  }
}

const DOMAIN = ["session", "cookie", "domain"] as const;
const NAME = ["session", "cookie", "name"] as const;

/** Whoever has a host of the domain gets people's sessions: there must be no strangers among its hosts. */
function domainRules({ at, report, shown }: RuleContext): void {
  const [domain, name] = [at(...DOMAIN), at(...NAME)];
  if (domain === undefined) return;
  const why = typeof domain === "string" ? sharedDomain(domain.replace(/^\./, "").toLowerCase()) : undefined;
  if (why !== undefined) {
    report(DOMAIN, `found ${shown(...DOMAIN)}, ${why}; accepted: a domain of your own, such as example.com`);
  }
  if (typeof name === "string" && /^__host-/i.test(name)) {
    report(
      NAME,
      `found ${shown(...NAME)}, and browsers take no cookie of such a name with a domain; accepted: a name that begins with __Secure-, or no name`,
    );
  }
}
