import { concatenated, utf8 } from "../../kernel/encoding.ts";
import { REDACTED, SHORTEST_SECRET } from "../../logging/redaction.ts";

/**
 * Takes a token that requests carry out of whatever their upstream answers, before anything reads it: results, errors, questions and
 * notifications of an MCP server alike (checklist 69). It finds the token as it is; who wants to hide it from us can.
 */
export function fetchWithoutEcho(fetch: typeof globalThis.fetch, token: string): typeof globalThis.fetch {
  if (token.length < SHORTEST_SECRET) return fetch;
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText } = response;
    if (body === null || status < 200) return response;
    const headers = new Headers(response.headers);
    headers.delete("content-length");
    return new Response(withoutBytes(body, utf8(token), utf8(REDACTED)), { status, statusText, headers });
  };
}

/**
 * The same of an answer that is passed on as it is. What stands in the token's place is as long as it, so that every statement about the
 * length stays true, and bytes go on as they come.
 */
export function bodyWithoutEcho(body: ReadableStream<Uint8Array>, token: string): ReadableStream<Uint8Array> {
  if (token.length < SHORTEST_SECRET) return body;
  const secret = utf8(token);
  const replacement = utf8(REDACTED.padEnd(secret.length, "*").slice(0, secret.length));
  return withoutBytes(body as ReadableStream<Uint8Array<ArrayBuffer>>, secret, replacement);
}

/** Fields of such an answer: a redirect or a cookie may have the token, too. */
export function headersWithoutEcho(headers: Headers, token: string): Headers {
  if (token.length < SHORTEST_SECRET) return headers;
  const spellings = [token, encodeURIComponent(token)];
  const result = new Headers();
  for (const [name, value] of headers) {
    result.append(
      name,
      spellings.reduce((text, spelling) => text.replaceAll(spelling, REDACTED), value),
    );
  }
  return result;
}

/** Of bytes that arrive, only those are held back that the secret may begin with. They are read as they are asked for. */
function withoutBytes(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  secret: Uint8Array<ArrayBuffer>,
  replacement: Uint8Array<ArrayBuffer>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const shifts = shiftsOf(secret);
  let held: Uint8Array<ArrayBuffer> = new Uint8Array();

  function* passedOn(chunk: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
    const { parts, rest } = split(held.length === 0 ? chunk : concatenated([held, chunk]), secret, shifts);
    held = rest;
    for (const [index, part] of parts.entries()) {
      if (index > 0) yield replacement;
      if (part.length > 0) yield part;
    }
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    for (let isPassedOn = false; !isPassedOn; ) {
      const { done, value } = await reader.read();
      if (done) {
        if (held.length > 0) controller.enqueue(held);
        return controller.close();
      }
      for (const part of passedOn(value)) {
        controller.enqueue(part);
        isPassedOn = true;
      }
    }
  }

  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}

interface Split {
  /** What stands between the secrets, and before and behind them. */
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  /** The end, where it may be the beginning of another one. */
  readonly rest: Uint8Array<ArrayBuffer>;
}

/** By Horspool's search: most windows end with a byte after which the next one begins behind them. */
function split(bytes: Uint8Array<ArrayBuffer>, secret: Uint8Array, shifts: Uint32Array): Split {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const { length } = secret;
  let from = 0;
  for (let last = length - 1; last < bytes.length; ) {
    const at = last - length + 1;
    if (matching(bytes, at, secret) === length) {
      parts.push(bytes.subarray(from, at));
      from = last + 1;
      last += length;
    } else last += shifts[bytes[last] as number] as number;
  }
  for (let at = Math.max(from, bytes.length - length + 1); at < bytes.length; at++) {
    if (matching(bytes, at, secret) < bytes.length - at) continue;
    parts.push(bytes.subarray(from, at));
    return { parts, rest: bytes.slice(at) };
  }
  parts.push(bytes.subarray(from));
  return { parts, rest: new Uint8Array() };
}

/** By the last byte of a window that is not the secret, how far the next window may begin from it. */
function shiftsOf(secret: Uint8Array): Uint32Array {
  const last = secret.length - 1;
  const shifts = new Uint32Array(256).fill(secret.length);
  for (const [index, byte] of secret.subarray(0, last).entries()) shifts[byte] = last - index;
  return shifts;
}

/** How many bytes of the secret stand there. */
function matching(bytes: Uint8Array, at: number, secret: Uint8Array): number {
  let length = 0;
  while (length < secret.length && at + length < bytes.length && bytes[at + length] === secret[length]) length++;
  return length;
}
