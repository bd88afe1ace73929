import { parseEmail } from "../kernel/email-address.ts";
import { type Fields, textField } from "../kernel/fields.ts";
import type { Role } from "../stores/directory.ts";

/** The address of `email` in lower case, or undefined after refusing it. */
export function emailField(fields: Fields): string | undefined {
  const text = textField(fields, "email", { min: 3, max: 254 });
  const email = text === undefined ? undefined : parseEmail(text);
  if (text !== undefined && email === undefined) fields.refuse("/email", "must be an e-mail address");
  return email;
}

/** The role of `role`, or undefined after refusing it. */
export function roleField(fields: Fields): Role | undefined {
  const { role } = fields.object;
  if (role === "owner" || role === "member") return role;
  fields.refuse("/role", role === undefined ? "is required" : "must be owner or member");
  return undefined;
}
