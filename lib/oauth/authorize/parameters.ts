import { type Form, formDecode, parseForm } from "../form.ts";
import { invalidRequest } from "../refusals.ts";

/** The parameters of an authorization request. All but `resource` stand at most once (RFC 6749 §3.1, RFC 8707 §2). */
export interface AuthorizationParameters {
  readonly form: Form;
  readonly resources: readonly string[];
}

/**
 * Reads a query or form body.
 *
 * @throws {OAuthError} `invalid_request` when it is malformed, longer than 8 KiB, or repeats another parameter
 */
export function readAuthorizationParameters(text: string): AuthorizationParameters {
  if (text.length > MAX_LENGTH) throw invalidRequest(`more than ${MAX_LENGTH} characters`);
  const pairs = text.split("&");
  const isResource = (pair: string) => formDecode(pair.split("=", 1)[0] as string) === "resource";
  const form = parseForm(pairs.filter((pair) => !isResource(pair)).join("&"));
  const resources = pairs.filter(isResource).flatMap((pair) => parseForm(pair).get("resource") ?? []);
  return { form, resources: [...new Set(resources)] };
}

/** It is kept with the sign-in, and most of it travels in addresses. */
const MAX_LENGTH = 8 * 1024;
