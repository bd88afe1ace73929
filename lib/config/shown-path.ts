import type { Path } from "./path.ts";
import { documentSchema } from "./schema/document.ts";
import { keysAt, mayHoldSecret, namesSecret } from "./schema/may-hold-secret.ts";
import { isSecretAt } from "./schema/secrecy.ts";
import { nearest } from "./suggest.ts";

/** A place as a message names it: it ends in front of a key that may be a secret, as `{setupToken:value}` is one key to YAML. */
export function shownPath(path: Path): Path {
  const end = path.findIndex((step, index) => typeof step === "string" && isHidden(step, path.slice(0, index)));
  return end < 0 ? path : path.slice(0, end);
}

function isHidden(key: string, around: Path): boolean {
  if (key.includes(":")) return namesSecret(key) || mayHoldSecret(around);
  if (!isSecretAt(documentSchema, around)) return false;
  const known = keysAt(around);
  return known.length > 0 && nearest(key, known) === undefined;
}
