/** One HTTP/1.1 response as it arrived, of which nothing is copied. */
export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
  /** Bytes of the whole response. */
  readonly length: number;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");
/** "HTTP/1.1 ", before the status. */
const STATUS_AT = 9;

/**
 * The response at the beginning of the bytes; undefined until all of it is there. It knows what a kept-alive connection
 * can hold: a body of a told length, or chunks without trailers.
 */
export function parseResponse(bytes: Buffer): HttpResponse | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
  const start = headEnd + HEAD_END.length;
  const told = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (told !== undefined) {
    const end = start + Number(told);
    return bytes.length < end ? undefined : { status, body: bytes.subarray(start, end), length: end };
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head))
    throw new Error(`The length of this answer is not told:\n${head}`);
  return parseChunks(bytes, start, status);
}

function parseChunks(bytes: Buffer, start: number, status: number): HttpResponse | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf(LINE_END, at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error("A chunk of this answer has no size.");
    const chunk = lineEnd + LINE_END.length;
    at = chunk + size + LINE_END.length;
    if (bytes.length < at) return undefined;
    if (size === 0) {
      const [only = Buffer.alloc(0)] = chunks;
      return { status, body: chunks.length > 1 ? Buffer.concat(chunks) : only, length: at };
    }
    chunks.push(bytes.subarray(chunk, chunk + size));
  }
}
