import { described } from "../described.ts";
import { text } from "../types.ts";

const ACCEPTED = "a name of 1 to 128 characters";

/** An app's name, unique in the document. `__proto__` would not survive as a key of plain objects. */
export function appName() {
  return described(
    text(ACCEPTED)
      .max(128, { error: ACCEPTED })
      .refine((value) => value !== "__proto__", { error: ACCEPTED }),
    "Unique among the apps.",
    "library",
  );
}

/** D32. */
export const organization = described(
  text().optional(),
  "The organization that sees the app's tools and audit records; by default the instance's first.",
);
