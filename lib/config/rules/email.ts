import { reportUnknownName, tlsNames } from "./names.ts";
import { type Rule, reportPlainHttp, reportUnlessOne } from "./rule.ts";

const LOOPBACK: readonly unknown[] = ["localhost", "127.0.0.1", "::1"];

/** How mail is sent: its links let people in. */
export const emailRules: Rule = (context) => {
  const { at, report, shown } = context;
  reportUnlessOne(context, ["email"], ["smtp", "http"]);
  reportUnknownName(context, ["email", "smtp", "tls"], tlsNames(context));
  reportPlainHttp(context, ["email", "http", "url"]);
  for (const [key, other] of [
    ["user", "password"],
    ["password", "user"],
  ] as const)
    if (at("email", "smtp", key) !== undefined && at("email", "smtp", other) === undefined)
      report(["email", "smtp", other], `required with ${key}; accepted: both or none`);
  const host = at("email", "smtp", "host");
  if (at("email", "smtp", "security") === "none" && typeof host === "string" && !LOOPBACK.includes(host))
    report(
      ["email", "smtp", "security"],
      `found none for ${shown("email", "smtp", "host")}; accepted: starttls or tls`,
    );
};
