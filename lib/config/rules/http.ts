import { reportUnknownName, tlsNames } from "./names.ts";
import { indexesOf, type Rule, type RuleContext } from "./rule.ts";
import { listenerPaths } from "./tls.ts";

/** Which TLS settings the listener uses for which host names. */
export const httpRules: Rule = (context) => {
  const paths = listenerPaths(context);
  const names = tlsNames(context);
  for (const path of paths) reportUnknownName(context, path, names);
  defaultRules(context);
  nameRules(context);
  if (paths.length > 0) schemeRule(context);
};

/** `http.tls` is what `hosts` calls the default. */
function defaultRules({ at, report }: RuleContext): void {
  let hasDefault = at("http", "tls") !== undefined;
  for (const index of indexesOf(at("http", "hosts"))) {
    if (at("http", "hosts", index, "default") !== true) continue;
    if (hasDefault) {
      report(["http", "hosts", index, "default"], "found a second default; accepted: one of http.tls and all hosts");
    }
    hasDefault = true;
  }
}

function nameRules({ at, report }: RuleContext): void {
  const seen = new Set<string>();
  for (const index of indexesOf(at("http", "hosts"))) {
    const path = ["http", "hosts", index, "name"];
    const name = at(...path);
    const isDefault = at("http", "hosts", index, "default");
    if (name === undefined && isDefault !== true && isDefault !== null) {
      report(path, "required unless default is true; accepted: a host name");
    }
    if (typeof name !== "string") continue;
    // As host names are compared (RFC 6066 section 3): in any case, with or without the dot at the end.
    const compared = name.toLowerCase().replace(/\.$/, "");
    if (seen.has(compared)) report(path, "found a host name that stands above already; accepted: each once");
    seen.add(compared);
  }
}

function schemeRule({ at, report }: RuleContext): void {
  const publicURL = at("http", "publicURL");
  if (typeof publicURL !== "string" || !/^http:/i.test(publicURL)) return;
  report(["http", "publicURL"], "found an http URL, and the listener speaks TLS only; accepted: an https URL");
}
