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
