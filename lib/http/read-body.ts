/** The sender of a request left, or fell silent, before its body was whole. */
export class IncompleteBodyError extends Error {
  constructor(cause: unknown) {
    super("The request ended before its body was whole.", { cause });
    this.name = "IncompleteBodyError";
  }
}

/**
 * Reads a body of at most `limit` bytes; undefined when it is longer, and then the rest is not fetched. A declared
 * length above the limit is refused before anything is read.
 *
 * @throws {IncompleteBodyError} when a request's body cannot be read to its end
 */
export async function readBody(
  message: Response | Request,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const declared = message.headers.get("Content-Length");
  const isRequest = "method" in message;
  if (Number(declared ?? 0) > limit) {
    // The rest of a request is its server's to discard: cancelling could cut the connection that the refusal goes to.
    if (!isRequest) await message.body?.cancel();
    return undefined;
  }
  // Every HTTP server holds a request to its declared length, so only the others are counted chunk by chunk. A
  // response's may be that of its compressed form.
  if (!isRequest) return readCounting(message.body, limit);
  try {
    return await (declared !== null ? readWhole(message, limit) : readCounting(message.body, limit));
  } catch (cause) {
    throw new IncompleteBodyError(cause);
  }
}

async function readWhole(message: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = new Uint8Array(await message.arrayBuffer());
  return bytes.byteLength > limit ? undefined : bytes;
}

async function readCounting(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.byteLength;
    if (length > limit) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(next.value);
  }
  return concatenate(chunks, length);
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
