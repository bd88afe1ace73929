import type { StopChange } from "../../../lib/management/schemas/stops.ts";

/** What is said when a change was made: from when on it holds. */
export function completionText({ ownTokens, acceptedUntil }: StopChange): string {
  const seconds = Math.max(1, Math.round((Date.parse(acceptedUntil) - Date.now()) / 1_000));
  const others = `Everything else is settled within ${seconds} s, and what runs has ended 5 s later.`;
  if (ownTokens === "now") return `Done. Tokens of this region are refused from now on. ${others}`;
  return `Kept, but a part of the store was not reached: it is told as soon as it answers. ${others}`;
}
