import { isMap, isScalar, type YAMLMap } from "yaml";
import type { PlaceholderPart } from "../artifact.ts";
import type { Path } from "../path.ts";

export type ScalarContent =
  | { readonly kind: "plain" }
  | { readonly kind: "placeholder"; readonly parts: readonly PlaceholderPart[] }
  | { readonly kind: "error"; readonly message: string };

const SECRET = /^<([A-Za-z0-9_.:/-]+)>$/;
const ENVIRONMENT = /^env\.([A-Za-z_][A-Za-z0-9_]*)$/;
/** What a request brings (`{{ user.… }}`); claims of people can have any name. */
const REQUEST = /^(?:user\.[A-Za-z0-9_.:/-]+|agent\.clientID|request\.id)$/;
const REQUEST_PREFIX = /^(?:user|agent|request)\./;
/** What a connector says of a person (`{{ corp.groups }}`). */
const CONNECTOR = /^(?!env\.)[A-Za-z0-9_-]+\.[A-Za-z0-9_.:/-]+$/;

const MALFORMED = "found a malformed placeholder; accepted: {{ env.NAME }}";
const MALFORMED_IN_HEADER = `${MALFORMED}, {{ user.CLAIM }}, {{ agent.clientID }}, {{ request.id }}`;
const MALFORMED_IN_WEB_HEADER = `${MALFORMED}, {{ connector.CLAIM }}, {{ user.CLAIM }}, {{ agent.clientID }}, {{ request.id }}`;
const MALFORMED_IN_COMPARISON = `${MALFORMED}, {{ connector.CLAIM }}`;
const OF_REQUEST =
  "found a placeholder for what each request brings; accepted: {{ env.NAME }} here, that one in upstream.headers and fix only";

/** What begins a placeholder; a `<https://…>` as links in headers have them begins none (RFC 8288). */
const BEGINNING = /\{\{/g;
const BEGINNING_OR_SECRET = /\{\{|<(?!https?:\/\/)([A-Za-z0-9_.:/-]+)>/g;

/** Whose text names what each request brings: headers of MCP apps and of web apps, fixed arguments, and comparisons of web apps. */
export type TemplateKind = "header" | "web_header" | "comparison";

interface Template {
  readonly isPart: (name: string) => boolean;
  readonly malformed: string;
}

const TEMPLATES: Readonly<Record<TemplateKind, Template>> = {
  header: { isPart: (name) => REQUEST.test(name), malformed: MALFORMED_IN_HEADER },
  web_header: { isPart: (name) => REQUEST.test(name) || CONNECTOR.test(name), malformed: MALFORMED_IN_WEB_HEADER },
  comparison: {
    isPart: (name) => CONNECTOR.test(name) && !REQUEST_PREFIX.test(name),
    malformed: MALFORMED_IN_COMPARISON,
  },
};

/** What may stand in a text, by its place. */
export interface ScalarPlace {
  /** The text may also name what each request brings; that stays in it as it is written. Undefined: it may not. */
  readonly template: TemplateKind | undefined;
  /** A secret may also be a part of the text, for example `Bearer <github.token>`. */
  readonly isSecret: boolean;
}

/** What a scalar's text stands for: itself, a secret (as a whole), or text with `{{ env.NAME }}` and perhaps secrets in it. */
export function scalarContent(text: string, place: ScalarPlace): ScalarContent {
  const template = place.template && TEMPLATES[place.template];
  const whole = SECRET.exec(text)?.[1];
  if (whole !== undefined) return { kind: "placeholder", parts: [{ secret: whole }] };

  const parts: PlaceholderPart[] = [];
  // Up to `start` the text is in `parts`, up to `end` it has been looked at.
  let [start, end] = [0, 0];
  const add = (part: PlaceholderPart, from: number) => {
    if (from > start) parts.push({ text: text.slice(start, from) });
    parts.push(part);
    start = end;
  };
  for (const { 0: opening, 1: secret, index } of text.matchAll(place.isSecret ? BEGINNING_OR_SECRET : BEGINNING)) {
    if (index < end) continue;
    if (secret !== undefined) {
      end = index + opening.length;
      add({ secret }, index);
      continue;
    }
    const close = text.indexOf("}}", index);
    if (close < 0) return { kind: "error", message: template?.malformed ?? MALFORMED };
    const name = text.slice(index + opening.length, close).trim();
    end = close + 2;
    if (template?.isPart(name)) continue;
    const env = ENVIRONMENT.exec(name)?.[1];
    if (env === undefined) return { kind: "error", message: template?.malformed ?? refusal(name) };
    add({ env }, index);
  }
  if (parts.length === 0) return { kind: "plain" };
  if (start < text.length) parts.push({ text: text.slice(start) });
  return { kind: "placeholder", parts };
}

function refusal(name: string): string {
  return REQUEST_PREFIX.test(name) ? OF_REQUEST : MALFORMED;
}

/** Texts in languages of their own: braces and angle brackets in them mean nothing to us. `*` is any key or index. */
const EXEMPT: readonly Path[] = [
  ["apps", "*", "openapi", "spec", "data"],
  ["apps", "*", "authorization", "inbound", "cel"],
  ["apps", "*", "authorization", "inbound", "opa", "rego"],
  ["apps", "*", "authorization", "inbound", "rules", "*", "cel"],
  ["apps", "*", "authorization", "inbound", "rules", "*", "opa", "rego"],
  ["apps", "*", "tools", "rules", "*", "approval", "by"],
  ["apps", "*", "tools", "rules", "*", "approval", "when"],
  ["apps", "*", "policies", "*", "authorization", "cel"],
  ["apps", "*", "policies", "*", "authorization", "opa", "rego"],
];

const TEMPLATE_PLACES: readonly (readonly [place: Path, kind: TemplateKind])[] = [
  [["apps", "*", "upstream", "headers", "*"], "header"],
  [["apps", "*", "tools", "rules", "*", "arguments", "*", "fix"], "header"],
  [["apps", "*", "headers", "*", "value"], "web_header"],
  [["apps", "*", "policies", "*", "authorization", "rules", "*", "*", "*"], "comparison"],
];

/** Whether placeholders are not looked for at a place. */
export function isExempt(path: Path): boolean {
  return path[0] === "apps" && EXEMPT.some((pattern) => matches(path, pattern));
}

/** Whether a text is made anew for each request, so that it may name what the request brings; undefined: it is not. */
export function templateKind(path: Path): TemplateKind | undefined {
  return path[0] === "apps" ? TEMPLATE_PLACES.find(([place]) => matches(path, place))?.[1] : undefined;
}

function matches(path: Path, pattern: Path): boolean {
  return path.length === pattern.length && pattern.every((step, index) => step === "*" || step === path[index]);
}

/** `{{ env.NAME }}` without quotes is a mapping inside a mapping to YAML; files in the wild are written like that. */
export function unquotedPlaceholder(node: YAMLMap): string | undefined {
  const inner = onlyKey(node);
  if (!node.flow || !isMap(inner) || !inner.flow) return undefined;
  const name = onlyKey(inner);
  return isScalar(name) && typeof name.value === "string" ? `{{ ${name.value} }}` : undefined;
}

function onlyKey(node: YAMLMap): unknown {
  const [pair, second] = node.items;
  if (pair === undefined || second !== undefined) return undefined;
  return pair.value === null || (isScalar(pair.value) && pair.value.value === null) ? pair.key : undefined;
}
