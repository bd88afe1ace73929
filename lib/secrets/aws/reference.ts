import { type EntryField, entryField } from "../field.ts";

/** Parts of a secret's ARN: `arn:partition:secretsmanager:region:account:secret:name`. A name has no colon. */
const ARN_PARTS = 7;

/**
 * `<name>`, `<name:jsonKey>`, `<ns.key>`, an ARN, or an ARN with `:jsonKey` behind it. A name with dots is written with
 * `:jsonKey` or as an ARN. Undefined for an ARN that is not a secret's.
 */
export function awsEntry(reference: string): EntryField | undefined {
  if (reference.startsWith("arn:")) return arnEntry(reference.split(":"));
  const colon = reference.indexOf(":");
  if (colon === -1) return entryField(reference);
  return { entry: reference.slice(0, colon), field: reference.slice(colon + 1) };
}

function arnEntry(parts: readonly string[]): EntryField | undefined {
  if (parts[2] !== "secretsmanager" || parts[5] !== "secret" || !parts[ARN_PARTS - 1]) return undefined;
  const entry = parts.slice(0, ARN_PARTS).join(":");
  return parts.length === ARN_PARTS ? { entry } : { entry, field: parts.slice(ARN_PARTS).join(":") };
}
