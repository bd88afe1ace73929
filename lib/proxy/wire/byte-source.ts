import { networkFailure } from "../../net/failure.ts";
import { concatenate } from "./bytes.ts";
import { aborted, brokenOff } from "./upstream-failure.ts";

/** The bytes of an answer, chunk by chunk. */
export interface ByteSource {
  /**
   * Undefined at the end.
   *
   * @throws {UpstreamFailure} `broken_off` when the connection breaks, `aborted` when the signal does
   */
  read(): Promise<Uint8Array | undefined>;
  /** The rest is not fetched; a read that waits ends. Never rejects. */
  cancel(): Promise<void>;
}

/** Whoever does not read to the end cancels, or aborts the signal. */
export function byteSource(body: ReadableStream<Uint8Array>, signal: AbortSignal): ByteSource {
  const reader = body.getReader();
  // What is thrown away cannot fail any more.
  const discard = (): Promise<void> => reader.cancel().catch(() => undefined);
  const onAbort = (): void => void discard();
  const stopListening = (): void => signal.removeEventListener("abort", onAbort);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    read: async () => {
      const next = await reader.read().catch((error: unknown) => {
        stopListening();
        throw signal.aborted ? aborted() : brokenOff(networkFailure(error).cause);
      });
      if (signal.aborted) throw aborted();
      if (!next.done) return next.value;
      stopListening();
      return undefined;
    },
    cancel: () => {
      stopListening();
      return discard();
    },
  };
}

/** The bytes without the byte order mark that may stand in front of them. */
export function withoutMark({ read, cancel }: ByteSource): ByteSource {
  let isBehind = false;
  const readFirst = async (): Promise<Uint8Array | undefined> => {
    let first: Uint8Array = new Uint8Array();
    while (first.length < MARK.length && MARK.subarray(0, first.length).every((byte, at) => byte === first[at])) {
      const chunk = await read();
      if (chunk === undefined) return first.length === 0 ? undefined : first;
      first = concatenate([first, chunk]);
    }
    return MARK.every((byte, at) => byte === first[at]) ? first.subarray(MARK.length) : first;
  };
  return {
    cancel,
    read: () => {
      if (isBehind) return read();
      isBehind = true;
      return readFirst();
    },
  };
}

/** U+FEFF in UTF-8. */
const MARK = new Uint8Array([0xef, 0xbb, 0xbf]);
