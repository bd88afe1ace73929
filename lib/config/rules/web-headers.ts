import { isFramingHeader } from "../../openapi/framing-headers.ts";
import { foldedName, HOP_BY_HOP } from "../../protocol/http/field-names.ts";
import { headerParts } from "../header-template.ts";
import { type Path, pathText } from "../path.ts";
import { ASSERTION_HEADER } from "../schema/apps/web-app.ts";
import { reportUnprintable } from "./app-upstream.ts";
import type { KnownNames } from "./names.ts";
import { indexesOf, type RuleContext } from "./rule.ts";

/** The rules of a web app's `headers` and of the header of its assertion. */
export function webHeaderRules(context: RuleContext, app: Path, connectors: KnownNames): void {
  const { at, report } = context;
  const headers = indexesOf(at(...app, "headers")).map((index) => [...app, "headers", index] as const);
  for (const header of headers) {
    reportUnknownClaims(context, [...header, "value"], connectors);
    reportUnprintable(context, [...header, "value"]);
  }
  const seen = new Map<string, Path>();
  for (const path of [...headers.map((header) => [...header, "name"]), [...app, "assertion", "header"]]) {
    const name = headerNameAt(context, path);
    if (name === undefined) continue;
    const folded = foldedName(name);
    const first = seen.get(folded);
    seen.set(folded, first ?? path);
    if (first !== undefined) {
      const message = `is the header of ${pathText(first)} to an upstream that takes _ and . for -`;
      report(path, `${message}; accepted: each header once`);
    } else if (isOurs(folded)) {
      report(path, `the reverse proxy makes ${name} by itself, or removes it; accepted: another header`);
    } else if (folded === "authorization" && at(...app, "forwardAuthorization") === true) {
      report(path, "stands beside forwardAuthorization: true, which sends the client's; accepted: one of the two");
    } else if (folded === "authorization" && at(...app, "authorization", "outbound", "type") === "userToken") {
      report(path, "stands beside type: userToken, whose token goes into it; accepted: one of the two");
    }
  }
}

/** Where an assertion is sent without a name of its own, its header is the default. */
function headerNameAt({ at }: RuleContext, path: Path): string | undefined {
  const name = at(...path);
  if (typeof name === "string") return name;
  const isAssertion = path.at(-1) === "header" && at(...path.slice(0, -1)) !== undefined;
  return isAssertion && name === undefined ? ASSERTION_HEADER : undefined;
}

/** @param folded as `foldedName` makes it */
function isOurs(folded: string): boolean {
  return isFramingHeader(folded) || HOP_BY_HOP.has(folded) || /^(?:forwarded|x-forwarded(?:-.*)?)$/.test(folded);
}

/** Reports a text that names a claim of a connector which is not defined. */
export function reportUnknownClaims({ at, report }: RuleContext, path: Path, { names, told }: KnownNames): void {
  const value = at(...path);
  if (typeof value !== "string" || names === undefined) return;
  const unknown = headerParts(value, "web").find((part) => "connector" in part && !names.includes(part.connector));
  if (unknown === undefined) return;
  const accepted = told.length === 0 ? "there is none in this document" : `accepted: ${told.slice(0, 10).join(", ")}`;
  report(path, `found a claim of what is not the name of a connector; ${accepted}`);
}
