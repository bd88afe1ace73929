import { type AnswerInPieces, type BodyPieces, streamOf } from "../../../lib/net/outbound.ts";
import type { ExchangeHead } from "./exchange.ts";

export interface AnswerHead extends ExchangeHead {
  readonly url: string;
}

/**
 * An answer as `fetch` has it. The objects of the Web come about when somebody asks for them: whoever reads status, single headers
 * and pieces needs none.
 *
 * @param pieces null: there is no body
 */
export function answerOf(head: AnswerHead, pieces: BodyPieces | null): Response & AnswerInPieces {
  const headers = readHeaders(head.headers);
  const coding = headers.get("content-encoding")?.trim().toLowerCase();
  const isCompressed = coding === "gzip" || coding === "x-gzip";
  return new DispatchedAnswer({ ...head, headers }, pieces, isCompressed) as DispatchedAnswer & Response;
}

/**
 * An answer that is passed on as it came, still encoded. As a response it is like every other one, for whoever does not ask for its
 * pieces.
 */
export function passedOn(
  { status, headers }: Pick<Response, "status" | "headers">,
  pieces: BodyPieces,
): Response & Required<AnswerInPieces> {
  return new DispatchedAnswer({ status, headers, url: "" }, pieces, false) as DispatchedAnswer &
    Response &
    Required<AnswerInPieces>;
}

class DispatchedAnswer
  implements AnswerInPieces, Pick<Response, "status" | "ok" | "url" | "headers" | "body" | "text">
{
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  /** Absent where the bytes have to be decompressed, or there are none. */
  readonly pieces?: BodyPieces;
  readonly #bytes: BodyPieces | null;
  readonly #isCompressed: boolean;
  #made: Response | undefined;

  constructor(
    { status, url, headers }: Pick<Response, "status" | "url" | "headers">,
    bytes: BodyPieces | null,
    isCompressed: boolean,
  ) {
    this.status = status;
    this.url = url;
    this.headers = headers;
    this.#bytes = bytes;
    this.#isCompressed = isCompressed;
    if (bytes !== null && !isCompressed) this.pieces = bytes;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): Response["body"] {
    return this.#bytes === null ? null : this.#whole.body;
  }

  get bodyUsed(): boolean {
    return this.#whole.bodyUsed;
  }

  get statusText(): string {
    return "";
  }

  get type(): ResponseType {
    return "default";
  }

  get redirected(): boolean {
    return false;
  }

  text(): Promise<string> {
    return this.#whole.text();
  }

  json(): Promise<unknown> {
    return this.#whole.json();
  }

  bytes(): Promise<Uint8Array> {
    return this.#whole.bytes();
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#whole.arrayBuffer();
  }

  blob(): Promise<Blob> {
    return this.#whole.blob();
  }

  formData(): Promise<FormData> {
    return this.#whole.formData();
  }

  clone(): Response {
    return this.#whole.clone();
  }

  get #whole(): Response {
    // Servers have statuses that no answer can be made with; its reader has the true one.
    const status = Math.min(this.status, 599);
    this.#made ??= new Response(this.#stream(), { status, headers: [...this.headers] });
    return this.#made;
  }

  #stream(): ReadableStream<Uint8Array> | null {
    if (this.#bytes === null) return null;
    const stream = streamOf(this.#bytes);
    return this.#isCompressed ? stream.pipeThrough(gunzip()) : stream;
  }
}

// Whoever asks whether it is one is told so.
Object.setPrototypeOf(DispatchedAnswer.prototype, Response.prototype);

function gunzip(): ReadableWritablePair<Uint8Array, Uint8Array> {
  return new DecompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>;
}

/** The headers of an answer, to be read. They are read where they lie; what else `Headers` can do, the Web's own object does. */
export function readHeaders(raw: AnswerHead["headers"]): Headers {
  return new AnswerHeaders(raw) as unknown as Headers;
}

class AnswerHeaders implements Pick<Headers, "get" | "has" | "getSetCookie" | "forEach"> {
  readonly #raw: AnswerHead["headers"];
  #made: Headers | undefined;

  constructor(raw: AnswerHead["headers"]) {
    this.#raw = raw;
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    const value = Object.hasOwn(this.#raw, key) ? this.#raw[key] : undefined;
    if (value === undefined) return null;
    return Array.isArray(value) ? value.join(", ") : value;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  getSetCookie(): string[] {
    const cookies = this.#raw["set-cookie"] ?? [];
    return [cookies].flat();
  }

  forEach(each: Parameters<Headers["forEach"]>[0]): void {
    this.#whole.forEach(each);
  }

  keys(): ReturnType<Headers["keys"]> {
    return this.#whole.keys();
  }

  values(): ReturnType<Headers["values"]> {
    return this.#whole.values();
  }

  entries(): ReturnType<Headers["entries"]> {
    return this.#whole.entries();
  }

  /** In the order in which they came; cookies one by one. */
  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const name of Object.keys(this.#raw)) {
      if (name === "set-cookie") for (const cookie of this.getSetCookie()) yield [name, cookie];
      else yield [name, this.get(name) ?? ""];
    }
  }

  get #whole(): Headers {
    this.#made ??= headersOf(this.#raw);
    return this.#made;
  }
}

/** The same as the Web's own object, several of a name apart. */
function headersOf(raw: AnswerHead["headers"]): Headers {
  const all = new Headers();
  for (const [name, value = []] of Object.entries(raw)) for (const one of [value].flat()) all.append(name, one);
  return all;
}
