import { fromBase64url, utf8 } from "../../kernel/encoding.ts";
import { type JsonObject, parseJsonObject } from "../../kernel/json.ts";

/** A JWS in compact serialization (RFC 7515 §7.1), parsed and not yet verified. */
export interface CompactJws {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** ASCII of `header.payload`, what the signature covers (RFC 7515 §5.2). */
  readonly signingInput: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** The signature as it was sent. */
  readonly signatureSegment: string;
}

/** Undefined unless the text is three canonical base64url segments of which the first two are UTF-8 JSON objects. */
export function parseCompactJws(text: string): CompactJws | undefined {
  const segments = text.split(".", 4);
  if (segments.length !== 3) return undefined;
  const [headerSegment, payloadSegment, signatureSegment] = segments as [string, string, string];
  const header = parseObject(headerSegment);
  const payload = header && parseObject(payloadSegment);
  const signature = payload && fromBase64url(signatureSegment);
  if (header === undefined || payload === undefined || signature === undefined) return undefined;
  const signingInput = utf8(text.slice(0, headerSegment.length + 1 + payloadSegment.length));
  return { header, payload, signingInput, signature, signatureSegment };
}

function parseObject(segment: string): JsonObject | undefined {
  const bytes = fromBase64url(segment);
  return bytes && parseJsonObject(bytes);
}
