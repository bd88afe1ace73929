/** What stands between the JSON and the body: eight NUL bytes. */
export const DELIMITER = new Uint8Array(8);

/** Status and headers as a streaming function sends them before the body. */
export interface Metadata {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
}

/**
 * Splits a streamed answer: `metadata` as soon as it is complete, `body` as it comes. Undefined when the stream ended
 * without metadata.
 */
export async function splitAnswer(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly metadata: Metadata; readonly body: AsyncIterable<Uint8Array> } | undefined> {
  const pieces = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  for (;;) {
    const end = head.indexOf(DELIMITER);
    if (end >= 0) {
      const metadata = JSON.parse(head.subarray(0, end).toString("utf8")) as Metadata;
      return { metadata, body: rest(head.subarray(end + DELIMITER.length), pieces) };
    }
    const { done, value } = await pieces.next();
    if (done) return undefined;
    head = Buffer.concat([head, value]);
  }
}

async function* rest(first: Uint8Array, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
}
