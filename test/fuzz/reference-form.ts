/**
 * A second opinion on form bodies, byte by byte and without what the product uses: what `application/x-www-form-urlencoded`
 * with each name at most once means (RFC 6749 §3.2, appendix B). Undefined for anything that is not exactly that.
 */
export function referenceForm(body: Uint8Array): ReadonlyMap<string, string> | undefined {
  const seen = new Set<string>();
  const form = new Map<string, string>();
  for (const pair of splitBytes(body, AMPERSAND)) {
    if (pair.length === 0) continue;
    const equals = pair.indexOf(EQUALS);
    const name = decode(equals < 0 ? pair : pair.subarray(0, equals));
    const value = decode(equals < 0 ? new Uint8Array() : pair.subarray(equals + 1));
    if (name === undefined || value === undefined || name === "" || seen.has(name)) return undefined;
    seen.add(name);
    if (value !== "") form.set(name, value);
  }
  return form;
}

const [AMPERSAND, EQUALS, PERCENT, PLUS, SPACE, TILDE] = [0x26, 0x3d, 0x25, 0x2b, 0x20, 0x7e];

function decode(bytes: Uint8Array): string | undefined {
  const decoded: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte < SPACE || byte > TILDE) return undefined;
    if (byte === PERCENT) {
      const [high, low] = [hexDigit(bytes[i + 1]), hexDigit(bytes[i + 2])];
      if (high === undefined || low === undefined) return undefined;
      decoded.push(high * 16 + low);
      i += 2;
    } else {
      decoded.push(byte === PLUS ? SPACE : byte);
    }
  }
  if (decoded.includes(0)) return undefined;
  const bytesOfText = Buffer.from(decoded);
  const text = bytesOfText.toString("utf8");
  // Anything that is not UTF-8 comes back as something else.
  return Buffer.from(text, "utf8").equals(bytesOfText) ? text : undefined;
}

function hexDigit(byte: number | undefined): number | undefined {
  const value = byte === undefined ? -1 : "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase());
  return value < 0 ? undefined : value;
}

function splitBytes(bytes: Uint8Array, separator: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, start)) {
    pieces.push(bytes.subarray(start, at));
    start = at + 1;
  }
  return [...pieces, bytes.subarray(start)];
}
