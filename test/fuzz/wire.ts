/** How the length of a body is told. */
export type Framing =
  | { readonly kind: "length" }
  | { readonly kind: "chunked"; readonly size: number }
  /** Any value of `Content-Length`, right or wrong. */
  | { readonly kind: "declared"; readonly length: string };

/** An HTTP/1.1 request as it will stand on the wire; nothing of it has to be right. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  /** Beside `Host` and what the framing adds. Characters are bytes. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly framing: Framing;
}

/** The bytes of a request. */
export function encodeRequest({ method, target, headers, body, framing }: WireRequest, host: string): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (framing.kind === "chunked") lines.push("Transfer-Encoding: chunked");
  else lines.push(`Content-Length: ${framing.kind === "declared" ? framing.length : body.length}`);
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return Buffer.concat([head, framing.kind === "chunked" ? chunked(body, framing.size) : body]);
}

function chunked(body: Buffer, size: number): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
  }
  return Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")]);
}

/** An answer as it stood on the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export type ParsedAnswer =
  | { readonly state: "incomplete" }
  | { readonly state: "complete"; readonly answer: WireAnswer; readonly isReusable: boolean };

/** What has arrived so far as an answer to a request of this method; interim answers are passed over. */
export function parseAnswer(bytes: Buffer, method: string, hasEnded: boolean): ParsedAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return { state: "incomplete" };
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`not an HTTP answer: ${statusLine.slice(0, 80)}`);
  const rest = bytes.subarray(end + 4);
  if (status < 200) return parseAnswer(rest, method, hasEnded);
  const headers = new Map(lines.map(splitHeader));
  const isEmpty = method === "HEAD" || status === 204 || status === 304;
  const body = isEmpty ? Buffer.alloc(0) : bodyOf(rest, headers, hasEnded);
  if (body === undefined) return { state: "incomplete" };
  const isReusable = !hasEnded && headers.get("connection")?.toLowerCase() !== "close" && !isEmpty;
  return { state: "complete", answer: { status, headers, body: body.toString("utf8") }, isReusable };
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** Undefined while something is missing. */
function bodyOf(bytes: Buffer, headers: ReadonlyMap<string, string>, hasEnded: boolean): Buffer | undefined {
  if (headers.get("transfer-encoding")?.toLowerCase() === "chunked") return unchunked(bytes);
  const length = headers.get("content-length");
  if (length === undefined) return hasEnded ? bytes : undefined;
  return bytes.length < Number(length) ? undefined : bytes.subarray(0, Number(length));
}

function unchunked(bytes: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return undefined;
    if (size === 0) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
