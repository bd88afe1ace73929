import { readBody } from "../protocol/http/read-body.ts";
import { OAuthError } from "../protocol/oauth/errors.ts";

/** Parameters of an OAuth request. A parameter without a value counts as omitted (RFC 6749 §3.1). */
export type Form = ReadonlyMap<string, string>;

/**
 * Reads an `application/x-www-form-urlencoded` body of at most 64 KiB.
 *
 * @throws {OAuthError} `invalid_request`: 413 when the body is larger, else 400
 */
export async function readForm(request: Request): Promise<Form> {
  return parseForm(await readFormText(request));
}

/** The same, not parsed. */
export async function readFormText(request: Request): Promise<string> {
  if (!FORM_TYPE.test(request.headers.get("Content-Type") ?? "")) {
    throw invalidForm("Content-Type is not application/x-www-form-urlencoded");
  }
  const bytes = await readBody(request, MAX_BYTES);
  if (bytes === undefined) {
    throw new OAuthError("invalid_request", { status: 413, detail: `body is larger than ${MAX_BYTES} bytes` });
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/**
 * Parses the serialization of WHATWG URL §5.1, strictly: percent-encoded UTF-8 in printable ASCII, every name at most
 * once (RFC 6749 §3.2), no null characters.
 *
 * @throws {OAuthError} `invalid_request`
 */
export function parseForm(text: string): Form {
  if (!PRINTABLE_ASCII.test(text)) throw invalidForm("body holds characters that are not percent-encoded");
  const seen = new Set<string>();
  const form = new Map<string, string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const separator = pair.includes("=") ? pair.indexOf("=") : pair.length;
    const name = formDecode(pair.slice(0, separator));
    const value = formDecode(pair.slice(separator + 1));
    if (name === undefined || value === undefined) throw invalidForm("body is not percent-encoded UTF-8");
    if (name === "" || name.includes("\0") || value.includes("\0")) throw invalidForm("empty name or null character");
    if (seen.has(name)) throw sentTwice(name);
    seen.add(name);
    if (value !== "") form.set(name, value);
  }
  return form;
}

/** Decodes one name or value; undefined when its percent-encoding is malformed or not UTF-8. */
export function formDecode(text: string): string | undefined {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** @throws {OAuthError} `invalid_request` when the parameter is missing */
export function requiredParameter(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw invalidForm(`${name} is missing`);
  return value;
}

/** Parameters may be empty (RFC 9110 §5.6.6). */
const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(;[ \t]*(charset="?utf-8"?[ \t]*)?)*$/i;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const MAX_BYTES = 64 * 1024;

/** Other servers accept several of these (RFC 8707 §2, RFC 8693 §2.1), so the answer explains the refusal (D145). */
const ONE_HERE: ReadonlySet<string> = new Set(["resource", "audience"]);

function sentTwice(name: string): OAuthError {
  if (!ONE_HERE.has(name)) return invalidForm("parameter sent more than once");
  return new OAuthError("invalid_request", { description: `${name} is accepted once: a token is for one audience` });
}

function invalidForm(detail: string): OAuthError {
  return new OAuthError("invalid_request", { detail });
}
