import { valueAt } from "../../../../lib/config/path.ts";
import { prose } from "../../../../lib/openapi/summary.ts";
import { schemaText } from "./schema-text.ts";
import { printable, printableLine, table } from "./table.ts";
import type { ToolArgument } from "./tool-arguments.ts";
import type { ToolCredential } from "./tool-credential.ts";
import type { ToolFacts } from "./tool-facts.ts";

const AT_START = "(filled at start)";
const DESCRIPTION_LIMIT = 160;
/** Members of types that are told one by one. */
const SOME = 6;

/**
 * One tool in full, for people.
 *
 * @param isConfiguration whether it is an app's, so that there are rules about its calls
 */
export function toolFactsText(facts: ToolFacts, isConfiguration: boolean, columns?: number): string {
  const { name, title, description } = facts;
  // A summary that is a whole text is the description, and the title its beginning.
  const isRepeated = title !== undefined && prose(description ?? "").startsWith(prose(title.replace(/…$/, "")));
  const heading = [name, isRepeated ? undefined : title, description].filter((part) => part !== undefined);
  const rows = [...requestRows(facts, isConfiguration ? AT_START : "(the document names no absolute URL)")];
  const all = (isConfiguration ? [...rows, ...ruleRows(facts)] : rows).filter(([, value]) => value !== undefined);
  const width = Math.max(...all.map(([label]) => label.length));
  const lines = all.map(([label, value = ""]) => `${label.padEnd(width)}  ${printableLine(value)}\n`);
  return `${heading.map((part) => `${printable(part).trim()}\n\n`).join("")}${lines.join("")}\n${argumentsText(facts, columns)}`;
}

type Row = readonly [label: string, value: string | undefined];

function requestRows(facts: ToolFacts, nowhere: string): readonly Row[] {
  const { localName, app, method, path, baseURL, body, accept, tags, annotations, outputSchema, security } = facts;
  const hints = Object.entries(annotations).map(([hint, value]) => (value === true ? hint : `${hint}: ${value}`));
  return [
    ["NAME IN RULES", localName],
    ["APP", app],
    ["REQUEST", `${method} ${path}`],
    ["AT", baseURL ?? nowhere],
    ["BODY", body && `${body.contentType}${body.required ? "" : ", optional"}`],
    ["ACCEPT", accept],
    ["SECURITY", security?.map((schemes) => schemes.join(" and ") || "none").join(", or ")],
    ["TAGS", tags?.join(", ")],
    ["ANNOTATIONS", hints.length === 0 ? "none" : hints.join(", ")],
    ["OUTPUT SCHEMA", outputSchema === undefined ? "no" : "yes"],
  ];
}

function ruleRows(facts: ToolFacts): readonly Row[] {
  return [
    ["SCOPES", facts.denied ? "denied: no entry of authorization.inbound.tools names it" : listed(facts.scopes)],
    ["POLICIES", listed(facts.policies)],
    ["STEP-UP", stepUpText(facts)],
    ["CARRIES", credentialText(facts.credential)],
  ];
}

function stepUpText({ stepUp }: ToolFacts): string {
  if (stepUp === undefined) return "none";
  const { acr, maxAge } = stepUp;
  return [
    ...(acr === undefined ? [] : [`acr ${acr.map(filled).join(" or ")}`]),
    ...(maxAge === undefined ? [] : [`signed in at most ${filled(maxAge)} ago`]),
  ].join("; ");
}

function credentialText({ tokenExchange, userToken, securitySchemes, headers }: ToolCredential): string {
  const parts: string[] = [];
  if (tokenExchange !== undefined) {
    const { type, idp, audience, scopes, ttl } = tokenExchange;
    const carried = scopes.length === 0 ? "no scopes" : `scopes ${listed(scopes)}`;
    parts.push(
      `a token (${filled(type)}) from ${filled(idp)} for ${filled(audience)} with ${carried} for ${filled(ttl)}`,
    );
  }
  if (userToken !== undefined) {
    const { connector, scopes } = userToken;
    const carried = scopes.length === 0 ? "no scopes" : `scopes ${listed(scopes)}`;
    parts.push(`the token of the person's own account at ${filled(connector)} with ${carried}`);
  }
  if (securitySchemes !== undefined) parts.push(`the credential of ${securitySchemes.join(" and ")}`);
  if (headers !== undefined) parts.push(`the headers ${headers.join(", ")}`);
  return parts.length === 0 ? "nothing" : parts.join("; ");
}

function argumentsText(facts: ToolFacts, columns: number | undefined): string {
  if (facts.arguments.length === 0) return "No arguments.\n";
  const { properties, $defs } = facts.inputSchema;
  const rows = facts.arguments.map((argument) => [
    argument.name,
    schemaText(valueAt(properties, [argument.name]), $defs, SOME),
    argument.required ? "yes" : "",
    placeText(argument),
    brief(argument.description ?? ""),
  ]);
  return table(["ARGUMENT", "TYPE", "REQUIRED", "SENT IN", "DESCRIPTION"], rows, columns);
}

function placeText({ name, in: place, sentAs, style, file }: ToolArgument): string {
  const notes = [...(file ? ["file"] : []), ...(style === undefined ? [] : [style])];
  const where = notes.length === 0 ? place : `${place} (${notes.join(", ")})`;
  return sentAs === undefined || sentAs === name ? where : `${where} as ${sentAs}`;
}

function brief(text: string): string {
  const line = printableLine(text);
  return line.length <= DESCRIPTION_LIMIT ? line : `${line.slice(0, DESCRIPTION_LIMIT - 1).toWellFormed()}…`;
}

function listed(values: readonly (string | null)[]): string {
  return values.length === 0 ? "none" : values.map(filled).join(" ");
}

function filled(value: string | null): string {
  return value ?? AT_START;
}
