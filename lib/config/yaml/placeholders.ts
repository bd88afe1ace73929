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

const MALFORMED = "found a malformed placeholder; accepted: {{ env.NAME }}";
const MALFORMED_IN_HEADER = `${MALFORMED}, {{ user.CLAIM }}, {{ agent.clientID }}, {{ request.id }}`;
const OF_REQUEST =
  "found a placeholder for what each request brings; accepted: {{ env.NAME }} here, that one in upstream.headers only";

/** What begins a placeholder; a `<https://…>` as links in headers have them begins none (RFC 8288). */
const BEGINNING = /\{\{/g;
const BEGINNING_OR_SECRET = /\{\{|<(?!https?:\/\/)([A-Za-z0-9_.:/-]+)>/g;

/** What may stand in a text, by its place. */
export interface ScalarPlace {
  /** The text may also name what each request brings; that stays in it as it is written. */
  readonly isHeader: boolean;
  /** A secret may also be a part of the text, for example `Bearer <github.token>`. */
  readonly isSecret: boolean;
}

/** What a scalar's text stands for: itself, a secret (as a whole), or text with `{{ env.NAME }}` and perhaps secrets in it. */
export function scalarContent(text: string, { isHeader, isSecret }: ScalarPlace): ScalarContent {
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
  for (const { 0: opening, 1: secret, index } of text.matchAll(isSecret ? BEGINNING_OR_SECRET : BEGINNING)) {
    if (index < end) continue;
    if (secret !== undefined) {
      end = index + opening.length;
      add({ secret }, index);
      continue;
    }
    const close = text.indexOf("}}", index);
    if (close < 0) return { kind: "error", message: isHeader ? MALFORMED_IN_HEADER : MALFORMED };
    const name = text.slice(index + opening.length, close).trim();
    end = close + 2;
    if (isHeader && REQUEST.test(name)) continue;
    const env = ENVIRONMENT.exec(name)?.[1];
    if (env === undefined) return { kind: "error", message: refusal(name, isHeader) };
    add({ env }, index);
  }
  if (parts.length === 0) return { kind: "plain" };
  if (start < text.length) parts.push({ text: text.slice(start) });
  return { kind: "placeholder", parts };
}

function refusal(name: string, isHeader: boolean): string {
  if (isHeader) return MALFORMED_IN_HEADER;
  return REQUEST_PREFIX.test(name) ? OF_REQUEST : MALFORMED;
}

/** Texts in languages of their own: braces and angle brackets in them mean nothing to us. `*` is any key or index. */
const EXEMPT: readonly Path[] = [
  ["apps", "*", "openapi", "spec", "data"],
  ["apps", "*", "authorization", "inbound", "cel"],
  ["apps", "*", "authorization", "inbound", "opa", "rego"],
  ["apps", "*", "authorization", "inbound", "rules", "*", "cel"],
  ["apps", "*", "authorization", "inbound", "rules", "*", "opa", "rego"],
];

const HEADER: Path = ["apps", "*", "upstream", "headers", "*"];

/** Whether placeholders are not looked for at a place. */
export function isExempt(path: Path): boolean {
  return path[0] === "apps" && EXEMPT.some((pattern) => matches(path, pattern));
}

/** Whether a text is made anew for each request, so that it may name what the request brings. */
export function isHeaderTemplate(path: Path): boolean {
  return matches(path, HEADER);
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
