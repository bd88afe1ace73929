/** What is wrong with an OpenAPI document, and where: `pointer` is a JSON Pointer (RFC 6901) into it. */
export class DocumentError extends Error {
  constructor(pointer: string, problem: string) {
    super(`${pointer === "" ? "(root)" : pointer}: ${problem}`);
    this.name = "DocumentError";
  }
}

/** Appends one segment to a JSON Pointer. */
export function below(pointer: string, ...segments: readonly string[]): string {
  return pointer + segments.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
