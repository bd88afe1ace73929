import { text } from "../types.ts";

/** A tool's name without its namespace, or an anchored regular expression between slashes (`tool-pattern.ts`). */
export function toolName() {
  return text("a tool's name without its namespace, or /a regular expression/")
    .refine(isToolPattern, { error: "a tool's name without its namespace, or /a valid regular expression/" })
    .refine((value) => value.startsWith("/") || !value.includes("*"), {
      error: "a tool's name without its namespace, which has no *, or /a regular expression/ such as /delete.*/",
    });
}

/** What of an OpenAPI document is meant: by operationId, tag or `GET /path`, or by an expression for one of them. */
export function operationPattern() {
  return text("an operationId, a tag, a method and path such as GET /books, or /a regular expression/").refine(
    isToolPattern,
    { error: "an operationId, a tag, a method and path such as GET /books, or /a valid regular expression/" },
  );
}

/** Whether it is a name, or a valid expression between slashes. */
export function isToolPattern(value: string): boolean {
  if (!(value.length > 2 && value.startsWith("/") && value.endsWith("/"))) return !value.startsWith("/");
  try {
    return new RegExp(`^(?:${value.slice(1, -1)})$`) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
