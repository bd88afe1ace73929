import { type Fields, readFields, textField } from "../fields.ts";
import type { Role } from "../stores/directory.ts";

export interface SetupFields {
  readonly organization: string;
  /** Lower-cased. */
  readonly email: string;
}

export const SETUP_FIELDS = ["token", "organization", "email"] as const;

/**
 * Checks who and what the first owner is: `{token, organization, email}`.
 * @throws ProblemError `invalid_field`
 */
export function parseSetup(input: unknown): SetupFields {
  const fields = readFields(input, SETUP_FIELDS);
  const organization = textField(fields, "organization", { min: 1, max: 200 });
  const email = emailField(fields);
  fields.finish();
  return { organization: organization as string, email: email as string };
}

/** A plausible address in lower case. That mail arrives there is not ours to know: links go out by other ways. */
export function parseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return email.length <= 254 && ADDRESS.test(email) ? email : undefined;
}

/** Nothing in it is invisible or turns the direction: it would look like somebody else's. */
const ADDRESS = /^[^\s@\p{Cc}\p{Cf}\p{Cs}\p{Co}"<>,;]+@[^\s@\p{Cc}\p{Cf}\p{Cs}\p{Co}"<>,;]+$/u;

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
