const INTEGER = 0x02;
const SEQUENCE = 0x30;

/**
 * An ECDSA signature `R || S` of two halves of equal length, at most 62 bytes each (RFC 7518 §3.4), as the DER of
 * `SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3).
 */
export function derSignature(signature: Uint8Array): Uint8Array {
  const half = signature.length / 2;
  const r = leadingZeros(signature, 0, half);
  const s = leadingZeros(signature, half, signature.length);
  const rLength = integerLength(signature, r, half);
  const sLength = integerLength(signature, s, signature.length);
  const der = new Uint8Array(6 + rLength + sLength);
  der[0] = SEQUENCE;
  der[1] = 4 + rLength + sLength;
  writeInteger(der, 2, rLength, signature.subarray(r, half));
  writeInteger(der, 4 + rLength, sLength, signature.subarray(s));
  return der;
}

/** The way back, of a signature that OpenSSL made: `R || S`, with halves of so many bytes. */
export function rawSignature(der: Uint8Array, half: number): Uint8Array {
  const signature = new Uint8Array(2 * half);
  const rLength = der[3] as number;
  writeHalf(signature, half, der.subarray(4, 4 + rLength));
  writeHalf(signature, 2 * half, der.subarray(6 + rLength));
  return signature;
}

/** Without the zero that keeps the first bit from being the sign. What DER leaves out in front is zero. */
function writeHalf(signature: Uint8Array, end: number, integer: Uint8Array): void {
  const number = integer[0] === 0 ? integer.subarray(1) : integer;
  signature.set(number, end - number.length);
}

/** Where the number begins; a zero keeps its last byte. */
function leadingZeros(bytes: Uint8Array, from: number, to: number): number {
  let start = from;
  while (start < to - 1 && bytes[start] === 0) start += 1;
  return start;
}

/** One byte more when the first bit is set: it would be the sign. */
function integerLength(bytes: Uint8Array, from: number, to: number): number {
  return to - from + ((bytes[from] as number) >> 7);
}

function writeInteger(der: Uint8Array, at: number, length: number, number: Uint8Array): void {
  der[at] = INTEGER;
  der[at + 1] = length;
  der.set(number, at + 2 + length - number.length);
}
