import type { Path } from "../path.ts";
import { reportUnknownName, tlsNames } from "./names.ts";
import { indexesOf, lengthOf, type Rule, type RuleContext } from "./rule.ts";

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

const VERIFIES: readonly unknown[] = ["VerifyClientCertIfGiven", "RequireAndVerifyClientCert"];

/** What the keys of an entry of `tls` need of each other, and what the listener needs of the entries that it uses. */
export const tlsRules: Rule = (context) => {
  for (const name of tlsNames(context).names ?? []) entryRules(context, name);
  for (const path of listenerPaths(context)) listenerRules(context, path);
};

/** Where the listener's entries of `tls` are named. */
export function listenerPaths({ at }: RuleContext): readonly Path[] {
  const hosts = indexesOf(at("http", "hosts")).map((index) => ["http", "hosts", index, "tls"]);
  return [["http", "tls"], ...hosts].filter((path) => typeof at(...path) === "string");
}

function entryRules({ at, report }: RuleContext, name: string): void {
  const [certFile, keyFile] = [at("tls", name, "certFile"), at("tls", name, "keyFile")];
  if (certFile !== undefined && keyFile === undefined) {
    report(["tls", name, "keyFile"], "required with certFile; accepted: the path of a PEM file");
  }
  if (keyFile !== undefined && certFile === undefined) {
    report(["tls", name, "certFile"], "required with keyFile; accepted: the path of a PEM file");
  }
  const clientAuth = at("tls", name, "clientAuth");
  const authorities = lengthOf(at("tls", name, "clientCAFiles"));
  // The default verifies nothing, which is hardly what somebody wants who names authorities.
  if (clientAuth === undefined && authorities > 0) {
    report(
      ["tls", name, "clientAuth"],
      "required with clientCAFiles; accepted: RequireAndVerifyClientCert, or another",
    );
  }
  if (VERIFIES.includes(clientAuth) && authorities === 0) {
    const message = `required when clientAuth is ${String(clientAuth)}; accepted: paths of PEM files`;
    report(["tls", name, "clientCAFiles"], message);
  }
}

function listenerRules({ at, report }: RuleContext, path: Path): void {
  const name = String(at(...path));
  const entry = at("tls", name);
  if (entry === undefined || at("tls", name, "certFile") !== undefined || at("tls", name, "keyFile") !== undefined) {
    return;
  }
  report(path, "the listener needs certFile and keyFile; accepted: an entry of tls that has both");
}
