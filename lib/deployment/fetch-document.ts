import { utf8 } from "../kernel/encoding.ts";
import { networkFailure } from "../net/failure.ts";
import { OutboundError } from "../net/outbound.ts";
import type { Forward, ForwardedAnswer } from "../reverse-proxy/forward.ts";
import { addressFault, givenUp, PROBE_LIMIT, ProbeFailure } from "./probing.ts";

/** A document as it came. */
export interface FetchedDocument {
  /** Where it was after redirects. */
  readonly uri: string;
  /** UTF-8. */
  readonly chunks: readonly Uint8Array[];
}

export interface FetchDocumentOptions {
  /** Refuses link-local addresses and those of metadata services: what they say would be in the answer. */
  readonly forward: Forward;
  /** The request that wants the document. */
  readonly carried: Request;
  readonly signal: AbortSignal;
  /** Told of each address that a redirect leads to, before it is asked. */
  readonly onRedirect: (to: URL) => void;
}

const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOST_BYTES = 20_000_000;
/** Other codings would be left to this process to undo. */
const HEADERS = [
  ["accept", "application/json, application/yaml, */*"],
  ["accept-encoding", "identity"],
  ["user-agent", "Countersign"],
] as const;

/**
 * Fetches a document of at most 20 MB, and does not look into it.
 *
 * @throws ProbeFailure
 */
export async function fetchDocument(address: URL, options: FetchDocumentOptions): Promise<FetchedDocument> {
  try {
    let url = address;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const answer = await get(url, options);
      const location = REDIRECTS.has(answer.status) ? answer.headers.get("location") : null;
      if (location === null) return { uri: url.href, chunks: await chunksOf(answer) };
      await answer.body?.cancel();
      url = redirected(location, url);
      options.onRedirect(url);
    }
  } catch (cause) {
    throw cause instanceof ProbeFailure ? cause : failureOf(cause, options.signal);
  }
  throw new ProbeFailure("redirect", `The server redirects more than ${MOST_REDIRECTS} times.`);
}

function get({ origin, pathname, search }: URL, { forward, carried, signal }: FetchDocumentOptions) {
  return forward({ method: "GET", origin, path: pathname + search, headers: HEADERS, body: null, signal }, carried);
}

/** Whoever can change a document on its way decides what the tools do: a redirect does not leave TLS. */
function redirected(location: string, from: URL): URL {
  const to = URL.parse(location, from);
  if (to === null || addressFault(to) !== undefined || (from.protocol === "https:" && to.protocol !== "https:"))
    throw new ProbeFailure(
      "redirect",
      "The server redirects to an address that is not accepted, such as one without TLS.",
    );
  to.hash = "";
  return to;
}

async function chunksOf({ status, headers, body }: ForwardedAnswer): Promise<readonly Uint8Array[]> {
  if (status !== 200) {
    await body?.cancel();
    throw new ProbeFailure(`http_${status}`, `The server answered with the HTTP status ${status}.`);
  }
  const chunks = await readChunks(body, Number(headers.get("content-length") ?? 0));
  try {
    for (const _ of textsOf(chunks));
  } catch {
    throw new ProbeFailure("no_text", "What the server sends is not text in UTF-8.");
  }
  return chunks;
}

/** Not joined, which would take their room twice. */
async function readChunks(body: ForwardedAnswer["body"], declared: number): Promise<readonly Uint8Array[]> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (Math.max(declared, length) <= MOST_BYTES) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done || value === undefined) return chunks;
    chunks.push(value);
    length += value.length;
  }
  await reader?.cancel();
  throw new ProbeFailure("too_large", "The document is larger than 20 MB.");
}

function failureOf(cause: unknown, signal: AbortSignal): ProbeFailure {
  if (signal.aborted) return givenUp(signal, `The document did not come within ${PROBE_LIMIT / 1_000} s.`);
  // One without a cause is our own refusal.
  if (cause instanceof OutboundError && cause.cause === undefined) return new ProbeFailure("refused", cause.message);
  const { why } = networkFailure(cause);
  const because = why === undefined ? "" : `: ${why}`;
  return new ProbeFailure("unreachable", `The address could not be reached${because}.`);
}

/** @throws TypeError what is no UTF-8 */
function* textsOf(chunks: readonly Uint8Array[]): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/**
 * `{uri, text}` as JSON. It is written piece by piece: a document of 20 MB several times over is more than some runtimes have room for.
 *
 * @param end called when nothing of it is held any more
 * @param late aborts for a reader who is too slow
 */
export function documentAnswer(
  { uri, chunks }: FetchedDocument,
  end: () => void,
  late: AbortSignal,
): ReadableStream<Uint8Array> {
  let pieces: Iterator<string, void> | undefined = jsonOf(uri, chunks);
  const release = (): void => {
    pieces = undefined;
    end();
  };
  return new ReadableStream({
    start: (controller) => {
      const giveUp = (): void => {
        if (pieces === undefined) return;
        release();
        controller.error(late.reason);
      };
      late.addEventListener("abort", giveUp, { once: true });
    },
    pull: (controller) => {
      const next = pieces?.next();
      if (next === undefined) return;
      if (next.done !== true) return controller.enqueue(utf8(next.value));
      release();
      controller.close();
    },
    cancel: release,
  });
}

function* jsonOf(uri: string, chunks: readonly Uint8Array[]): Generator<string> {
  yield `{"uri":${JSON.stringify(uri)},"text":"`;
  for (const text of textsOf(chunks)) yield JSON.stringify(text).slice(1, -1);
  yield `"}`;
}
