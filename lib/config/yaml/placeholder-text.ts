import type { PlaceholderPart } from "../artifact.ts";

export type ScalarContent =
  | { readonly kind: "plain" }
  | { readonly kind: "placeholder"; readonly parts: readonly PlaceholderPart[] }
  | { readonly kind: "error"; readonly message: string };

const SECRET = /^<([A-Za-z0-9_.:/-]+)>$/;
const BRACES = /\{\{(.*?)\}\}/gs;
const ENVIRONMENT = /^\s*env\.([A-Za-z_][A-Za-z0-9_]*)\s*$/;

/** What a scalar's text stands for: itself, a secret (as a whole), or text with `{{ env.NAME }}` in it. */
export function scalarContent(text: string): ScalarContent {
  const secret = SECRET.exec(text)?.[1];
  if (secret !== undefined) return { kind: "placeholder", parts: [{ secret }] };
  if (!text.includes("{{")) return { kind: "plain" };

  const parts: PlaceholderPart[] = [];
  let end = 0;
  for (const match of text.matchAll(BRACES)) {
    const name = ENVIRONMENT.exec(match[1] as string)?.[1];
    if (name === undefined) return malformed();
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ env: name });
    end = match.index + match[0].length;
  }
  const rest = text.slice(end);
  if (rest.includes("{{")) return malformed();
  if (rest !== "") parts.push({ text: rest });
  return { kind: "placeholder", parts };
}

function malformed(): ScalarContent {
  return { kind: "error", message: "found a malformed placeholder; accepted: {{ env.NAME }}" };
}
