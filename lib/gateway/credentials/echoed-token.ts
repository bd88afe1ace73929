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
    return new Response(body.pipeThrough(withoutBytes(utf8(token), utf8(REDACTED))), { status, statusText, headers });
  };
}

/** Of bytes that arrive, only those are held back that the secret may begin with. */
function withoutBytes(
  secret: Uint8Array<ArrayBuffer>,
  replacement: Uint8Array<ArrayBuffer>,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let held: Uint8Array<ArrayBuffer> = new Uint8Array();
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = held.length === 0 ? chunk : concatenated([held, chunk]);
      const { parts, rest } = split(bytes, secret);
      for (const part of parts.slice(0, -1)) {
        controller.enqueue(part);
        controller.enqueue(replacement);
      }
      const last = parts.at(-1);
      if (last !== undefined && last.length > 0) controller.enqueue(last);
      held = rest;
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(held);
    },
  });
}

interface Split {
  /** What stands between the secrets, and before and behind them. */
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  /** The end, where it may be the beginning of another one. */
  readonly rest: Uint8Array<ArrayBuffer>;
}

function split(bytes: Uint8Array<ArrayBuffer>, secret: Uint8Array): Split {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const first = secret[0] as number;
  let from = 0;
  for (let at = bytes.indexOf(first); at !== -1; ) {
    const length = matching(bytes, at, secret);
    if (length === secret.length) {
      parts.push(bytes.subarray(from, at));
      from = at + length;
      at = bytes.indexOf(first, from);
    } else if (at + length === bytes.length) {
      parts.push(bytes.subarray(from, at));
      return { parts, rest: bytes.slice(at) };
    } else at = bytes.indexOf(first, at + 1);
  }
  parts.push(bytes.subarray(from));
  return { parts, rest: new Uint8Array() };
}

/** How many bytes of the secret stand there. */
function matching(bytes: Uint8Array, at: number, secret: Uint8Array): number {
  let length = 0;
  while (length < secret.length && at + length < bytes.length && bytes[at + length] === secret[length]) length++;
  return length;
}
