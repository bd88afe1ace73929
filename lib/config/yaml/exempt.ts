import type { Path } from "../path.ts";

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
