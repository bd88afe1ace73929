import { createRequire } from "node:module";

/** Path of the workerd that wrangler brings. */
export function workerdBinary(): string {
  const fromWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler/package.json"));
  return (fromWrangler("workerd") as { readonly default: string }).default;
}
