import { compilePattern } from "../../policy/cel/pattern-program.ts";
import { PatternError } from "../../policy/cel/pattern-syntax.ts";

/**
 * Whether a URI is what a template expands to (RFC 6570), for some values. Values may be written without being encoded, as
 * clients of the field do. It takes time linear in the URI; a template above 1,000 characters of its pattern stands for itself alone.
 */
export function expandsTo(template: string, uri: string): boolean {
  if (template === uri) return true;
  const [beginning = "", ...others] = template.split("{", 2);
  if (others.length === 0 || !uri.startsWith(beginning)) return false;
  try {
    return compilePattern(`^${patternOf(template)}$`).matches(uri);
  } catch (cause) {
    if (cause instanceof PatternError) return false;
    throw cause;
  }
}

function patternOf(template: string): string {
  return template
    .split(/(\{[^{}]*\})/)
    .map((part, at, parts) =>
      at % 2 === 0 ? literal(part) : expression(part.slice(1, -1), parts.slice(0, at).join("").includes("?")),
    )
    .join("");
}

function literal(text: string): string {
  return text.replaceAll(/[^\w\u0080-\uffff]/g, "\\$&");
}

/** RFC 6570 §3.2, by operator. @param isInQuery where a value ends before the next name */
function expression(text: string, isInQuery: boolean): string {
  const [, operator = "", list = ""] = /^([+#./;?&]?)(.*)$/s.exec(text) ?? [];
  const names = list.split(",");
  const explodes = list.includes("*");
  const most = explodes ? "*" : `{0,${names.length}}`;
  switch (operator) {
    case "+":
      return ".*";
    case "#":
      return "(?:#.*)?";
    case ".":
      return "(?:\\.[^/?#]*)?";
    case "/":
      return `(?:/[^/?#]*)${most}`;
    case ";":
      return `(?:;[^/?#;]*)${most}`;
    case "?":
      return `(?:\\?${pair(names, explodes)}(?:&${pair(names, explodes)})*)?`;
    case "&":
      return `(?:&${pair(names, explodes)})*`;
    default:
      // Servers of the field have `{path*}` for any number of segments.
      if (isInQuery) return "[^&#]*";
      return explodes ? "[^?#]*" : "[^/?#]*";
  }
}

/** A name with its value. What explodes has names of its own. */
function pair(names: readonly string[], explodes: boolean): string {
  if (explodes) return "[^&#]*";
  return `(?:${names.map((name) => literal(name.replace(/:\d+$/, ""))).join("|")})(?:=[^&#]*)?`;
}
