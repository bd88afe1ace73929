/**
 * What the passkey library reads with an ASN.1 library: the two integers of an ECDSA signature, Ecdsa-Sig-Value in DER
 * (RFC 3279 §2.2.3). The bundles have this in place of `@peculiar/asn1-schema` and `@peculiar/asn1-ecc` (D193), so the names are
 * theirs.
 */
export const AsnParser = { parse: readSignature };
export const ECDSASigValue = "Ecdsa-Sig-Value";

interface Signature {
  readonly r: Uint8Array;
  readonly s: Uint8Array;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** A length of more than 127 bytes, in one further byte: no curve needs more. */
const LONG_LENGTH = 0x81;

/** The content of both integers, as it is written. Throws at whatever else the bytes are. */
function readSignature(der: Uint8Array, type: string): Signature {
  if (type !== ECDSASigValue) throw new Error("only ECDSA signatures are read");
  const sequence = readElement(der, SEQUENCE);
  const r = readElement(sequence.content, INTEGER);
  const s = readElement(r.rest, INTEGER);
  if (sequence.rest.length + s.rest.length > 0) throw new Error("bytes follow the ECDSA signature");
  return { r: r.content, s: s.content };
}

/** The element that the bytes begin with, and the bytes after it. */
function readElement(bytes: Uint8Array, tag: number): { readonly content: Uint8Array; readonly rest: Uint8Array } {
  const isLong = bytes[1] === LONG_LENGTH;
  const length = isLong ? bytes[2] : bytes[1];
  const start = isLong ? 3 : 2;
  const isShortForm = !isLong && length !== undefined && length < 0x80;
  const isLongForm = isLong && length !== undefined && length >= 0x80;
  if (bytes[0] !== tag || !(isShortForm || isLongForm) || length === 0 || bytes.length < start + length)
    throw new Error("not an ECDSA signature in DER");
  return { content: bytes.subarray(start, start + length), rest: bytes.subarray(start + length) };
}
