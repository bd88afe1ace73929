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
 * @param onRead told how much of a response was read so far, bytes
 * @throws {IncompleteBodyError} when a request's body cannot be read to its end
 */
export function readBody(
  message: Response | Request,
  limit: number,
  onRead?: OnRead,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return "method" in message ? readRequest(message, limit) : readResponse(message, limit, onRead);
}

type OnRead = (length: number) => void;

/**
 * The rest of what is too long is its server's to discard: cancelling could cut the connection that the refusal goes to.
 * Every HTTP server holds a request to its declared length, so only the others are counted chunk by chunk.
 */
async function readRequest(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const declared = request.headers.get("Content-Length");
  if (Number(declared ?? 0) > limit) return undefined;
  try {
    return await (declared !== null ? readWhole(request, limit) : readCounting(request.body, limit));
  } catch (cause) {
    throw new IncompleteBodyError(cause);
  }
}

/** The declared length may be that of the compressed form. */
async function readResponse(
  { headers, body }: Response,
  limit: number,
  onRead: OnRead | undefined,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const isTooLong = Number(headers.get("Content-Length") ?? 0) > limit;
  const bytes = isTooLong ? undefined : await readCounting(body, limit, onRead);
  if (bytes === undefined) await body?.cancel();
  return bytes;
}

async function readWhole(message: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = new Uint8Array(await message.arrayBuffer());
  return bytes.byteLength > limit ? undefined : bytes;
}

/** What is longer stays where it is, free for the next reader. */
async function readCounting(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  onRead?: OnRead,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.byteLength;
    if (length > limit) {
      reader.releaseLock();
      return undefined;
    }
    chunks.push(next.value);
    onRead?.(length);
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
