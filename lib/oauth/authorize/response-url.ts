import type { OAuthError } from "../errors.ts";

/** To whom a response goes, and what it repeats. */
export interface Respondent {
  readonly redirectURL: string;
  readonly state?: string;
}

/** The redirect with an authorization code (RFC 6749 §4.1.2), and who it is from (RFC 9207). */
export function codeResponse({ redirectURL, state }: Respondent, code: string, issuer: string): string {
  return withParameters(redirectURL, { code, state, iss: issuer });
}

/** The redirect with an error (RFC 6749 §4.1.2.1). The description is printable ASCII without quotes and backslashes. */
export function errorResponse({ redirectURL, state }: Respondent, error: OAuthError, issuer: string): string {
  const { code, description } = error;
  return withParameters(redirectURL, { error: code, error_description: description, state, iss: issuer });
}

/** Leaves the redirect as it was registered, a query of its own included (RFC 6749 §3.1.2). */
function withParameters(redirectURL: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  const [, beforeQuery, ownQuery] = /^([^?]*)\??(.*)$/s.exec(redirectURL) as RegExpExecArray;
  return `${beforeQuery}?${ownQuery === "" ? "" : `${ownQuery}&`}${query}`;
}
