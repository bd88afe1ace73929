/**
 * The text of a body. UTF-8 that is valid is UTF-8, unless the label is that of an encoding whose every text could pass for
 * it; the labels of Western encodings are what servers put on everything.
 *
 * @param isCut the last character may be a half one
 */
export function decode(body: Uint8Array, contentType: string | null, isCut = false): string {
  const label = /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType ?? "")?.[1]?.toLowerCase();
  const encoding = byteOrderMark(body) ?? (label !== undefined && !WESTERN.test(label) ? label : undefined);
  if (encoding !== undefined) return decodedAs(encoding, body);
  return validUtf8(body, isCut) ?? decodedAs(label === undefined ? "utf-8" : "windows-1252", body);
}

/** The text of a body that does not say what it is; undefined when it reads as none. */
export function textIn(body: Uint8Array, isCut = false): string | undefined {
  const text = validUtf8(body, isCut);
  return text === undefined || body.some(isControl) ? undefined : text;
}

const WESTERN = /^(utf-?8|us-ascii|ascii|iso-?8859-1|latin-?1|windows-1252|cp-?1252)$/;

function byteOrderMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

function validUtf8(body: Uint8Array, isCut: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body, { stream: isCut });
  } catch {
    return undefined;
  }
}

function decodedAs(encoding: string, body: Uint8Array): string {
  try {
    return new TextDecoder(encoding).decode(body);
  } catch {
    // The label is the upstream's invention; UTF-8 is what nearly everyone sends.
    return new TextDecoder().decode(body);
  }
}

/** Tab to carriage return and escape occur in texts. */
function isControl(byte: number): boolean {
  return byte < 9 || (byte > 13 && byte < 32 && byte !== 27);
}

/** The beginning of a body, or all of it. */
export interface BodyPart {
  readonly bytes: Uint8Array;
  readonly end: "whole" | "limit" | "broken";
}

/**
 * Reads no more than `limit` bytes and keeps what came before a connection broke: for bodies whose beginning is worth
 * something by itself. The rest is not fetched.
 *
 * @param onChunk told of each chunk as it arrives
 */
export async function readPart(
  { body }: Response,
  limit: number,
  onChunk?: (chunk: Uint8Array) => void,
): Promise<BodyPart> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const part = (end: BodyPart["end"]): BodyPart => ({ bytes: concatenated(chunks, Math.min(length, limit)), end });
  if (body === null) return part("whole");
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.byteLength;
      chunks.push(next.value);
      if (length > limit) break;
      onChunk?.(next.value);
    }
  } catch {
    return part("broken");
  }
  if (length <= limit) return part("whole");
  // What is thrown away cannot fail the call any more.
  await reader.cancel().catch(() => undefined);
  return part("limit");
}

function concatenated(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk.subarray(0, length - offset), offset);
    offset += chunk.byteLength;
  }
  return whole;
}
