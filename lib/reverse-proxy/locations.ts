/** Which paths a policy is about: one of them, all below one, or those that a pattern matches. */
export type Location =
  | { readonly kind: "exact"; readonly path: string }
  | { readonly kind: "prefix"; readonly path: string }
  | { readonly kind: "pattern"; readonly source: string };
