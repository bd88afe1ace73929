import { formDecode } from "./form.ts";

export interface BasicCredentials {
  readonly clientId: string;
  readonly secret: string;
}

/**
 * Client id and secret of an `Authorization: Basic` header. Both are form-encoded before they are joined (RFC 6749
 * §2.3.1). Undefined when the header is anything else.
 */
export function parseBasic(authorization: string): BasicCredentials | undefined {
  const encoded = BASIC.exec(authorization)?.[1];
  const decoded = encoded === undefined ? undefined : decodeBase64(encoded);
  const separator = decoded?.indexOf(":") ?? -1;
  if (decoded === undefined || separator < 1) return undefined;
  const clientId = formDecode(decoded.slice(0, separator));
  const secret = formDecode(decoded.slice(separator + 1));
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret };
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

function decodeBase64(text: string): string | undefined {
  try {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
