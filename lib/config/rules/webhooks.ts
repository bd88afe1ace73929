import { reportUnknownName, tlsNames } from "./names.ts";
import { indexesOf, type Rule, reportDuplicates, reportPlainHttp } from "./rule.ts";

/** Who is told of what waits for a person. */
export const webhookRules: Rule = (context) => {
  const entries = indexesOf(context.at("webhooks")).map((index) => ["webhooks", index] as const);
  const tls = tlsNames(context);
  for (const entry of entries) {
    reportUnknownName(context, [...entry, "tls"], tls);
    // Notices name people.
    reportPlainHttp(context, [...entry, "url"]);
  }
  reportDuplicates(
    context,
    entries.map((entry) => [...entry, "name"]),
    "a webhook",
  );
};
