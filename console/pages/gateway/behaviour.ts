import type { Tool } from "../../../lib/management/schemas/tools.ts";
import type { StatusTone } from "../../parts/status-badge.tsx";

export type Annotations = Tool["annotations"];

export interface Effect {
  readonly label: string;
  readonly tone: StatusTone;
}

/** What a call does to what is behind it, in a word. What the annotations do not say is not ruled out. */
export function effectOf({ readOnlyHint, destructiveHint }: Annotations): Effect {
  if (readOnlyHint === true) return { label: "Reads", tone: "neutral" };
  if (destructiveHint === true) return { label: "Destroys", tone: "warn" };
  return { label: "Changes", tone: "accent" };
}

/** The annotations as sentences. They are what the document says, not what anybody has tried. */
export function sentencesOf({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: Annotations) {
  const sentences: string[] = [];
  if (readOnlyHint === true) sentences.push("It reads and changes nothing.");
  else if (destructiveHint === true) sentences.push("It may delete or overwrite something.");
  else if (destructiveHint === false) sentences.push("It may add something, and overwrites nothing.");
  else sentences.push("It may change something.");
  if (readOnlyHint !== true && idempotentHint === true) sentences.push("The same call again changes nothing more.");
  if (openWorldHint === true) sentences.push("It reaches systems beyond its own.");
  if (openWorldHint === false) sentences.push("It stays within its own system.");
  return sentences;
}
