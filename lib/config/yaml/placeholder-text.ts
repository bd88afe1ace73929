import type { PlaceholderPart } from "../artifact.ts";

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
const UNKNOWN_IN_HEADER = `${MALFORMED}, {{ user.CLAIM }}, {{ agent.clientID }}, {{ request.id }}`;
const OF_REQUEST =
  "found a placeholder for what each request brings; accepted: {{ env.NAME }} here, that one in upstream.headers only";

/**
 * What a scalar's text stands for: itself, a secret (as a whole), or text with `{{ env.NAME }}` in it.
 * @param isHeader the text may also name what each request brings; that stays in it as it is written
 */
export function scalarContent(text: string, isHeader = false): ScalarContent {
  const secret = SECRET.exec(text)?.[1];
  if (secret !== undefined) return { kind: "placeholder", parts: [{ secret }] };
  if (!text.includes("{{")) return { kind: "plain" };

  const parts: PlaceholderPart[] = [];
  // Up to `start` the text is in `parts`, up to `end` it has been looked at.
  let [start, end] = [0, 0];
  for (let open = text.indexOf("{{"); open >= 0; open = text.indexOf("{{", end)) {
    const close = text.indexOf("}}", open);
    if (close < 0) return { kind: "error", message: MALFORMED };
    const name = text.slice(open + 2, close).trim();
    end = close + 2;
    if (isHeader && REQUEST.test(name)) continue;
    const env = ENVIRONMENT.exec(name)?.[1];
    if (env === undefined) return { kind: "error", message: refusal(name, isHeader) };
    if (open > start) parts.push({ text: text.slice(start, open) });
    parts.push({ env });
    start = end;
  }
  if (parts.length === 0) return { kind: "plain" };
  if (start < text.length) parts.push({ text: text.slice(start) });
  return { kind: "placeholder", parts };
}

function refusal(name: string, isHeader: boolean): string {
  if (isHeader) return UNKNOWN_IN_HEADER;
  return REQUEST_PREFIX.test(name) ? OF_REQUEST : MALFORMED;
}
