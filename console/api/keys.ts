import type { QueryKey } from "@tanstack/react-query";
import type { Query } from "./request.ts";

/** What answers are kept under. Each organization has its own: nothing of one is ever shown for another. */
export function keyOf(organization: string | undefined, path: string, query: Query = {}): QueryKey {
  return [organization ?? "", path, query];
}

/** Every path: after a new configuration, nothing that was read before need be true any more. */
export const EVERYTHING: readonly string[] = [""];

/** Whether a kept answer is of this path or of one below it. */
export function isBelow(key: QueryKey, path: string): boolean {
  const kept = key[1];
  return typeof kept === "string" && (kept === path || kept.startsWith(`${path}/`));
}
