import { type Fields, readFields, textField } from "../fields.ts";

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
  return email.length <= 254 && /^[^\s@\p{Cc}"<>,;]+@[^\s@\p{Cc}"<>,;]+$/u.test(email) ? email : undefined;
}

function emailField(fields: Fields): string | undefined {
  const text = textField(fields, "email", { min: 3, max: 254 });
  const email = text === undefined ? undefined : parseEmail(text);
  if (text !== undefined && email === undefined) fields.refuse("/email", "must be an e-mail address");
  return email;
}
