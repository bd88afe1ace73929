import type { JsonObject } from "../../json.ts";
import type { RequestId } from "../../mcp/message.ts";
import type { RewriteRules } from "./rewrite-rules.ts";

/**
 * Whether rewriting could change anything of an answer's text but its white space: most answers have the agent's own id, and
 * none of the names that rules are about. Names are looked for anywhere in the text, as members may come twice.
 *
 * @param message the text as parsed
 * @param id that the answer has to have
 */
export function needsRewriting(text: string, message: JsonObject, id: RequestId, rules: RewriteRules): boolean {
  const { replace = [], set = [], insert = [] } = rules;
  if (message.id !== id || set.length > 0 || insert.length > 0) return true;
  if (ESCAPES.test(text)) return true;
  return text.indexOf(ID) !== text.lastIndexOf(ID) || namesIn(replace).some((name) => text.includes(name));
}

const ID = '"id"';
/** With these a name can be spelled in other ways (RFC 8259 §7). */
const ESCAPES = /\\[u/]/;

/** Each once, as it stands in a text. Of a path that ends in each entry of a list, the name before that is looked for. */
function namesIn(replace: NonNullable<RewriteRules["replace"]>): readonly string[] {
  const names = replace.map(({ path }) => path.findLast((step) => step !== "*"));
  return [...new Set(names)].map((name) => (name === undefined ? "" : `"${name}"`));
}
