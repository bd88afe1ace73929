import { fromBase64url } from "../../encoding.ts";

/**
 * The `iss` that a JWT claims, read without any check, to choose the server that can check it. Undefined when the text is
 * not a JWT; an empty string when it is one without issuer, which no server has.
 */
export function unverifiedIssuer(token: string): string | undefined {
  const [header, payload, signature, ...rest] = token.split(".");
  if (signature === undefined || rest.length > 0) return undefined;
  if (jsonObject(header)?.alg === undefined) return undefined;
  const issuer = jsonObject(payload)?.iss;
  return typeof issuer === "string" ? issuer : "";
}

function jsonObject(segment: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const bytes = segment === undefined ? undefined : fromBase64url(segment);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    // Three segments do not make a JWT; whoever issued it will know.
    return undefined;
  }
}
