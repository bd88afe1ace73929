import { utf8 } from "../../../kernel/encoding.ts";
import type { ByteSource } from "../../wire/byte-source.ts";
import { concatenate, decodeUtf8 } from "../../wire/byte-source.ts";
import { brokenOff } from "../../wire/upstream-failure.ts";

/** Texts and bytes in one stream: the kind (1 byte), the length (4 bytes, the highest first), and so many bytes. */
export type Frame =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

const TEXT = 0;
const BYTES = 1;
const HEAD = 5;

export function encodeFrame(frame: Frame): Uint8Array {
  const content = frame.kind === "text" ? utf8(frame.text) : frame.bytes;
  const head = new DataView(new ArrayBuffer(HEAD));
  head.setUint8(0, frame.kind === "text" ? TEXT : BYTES);
  head.setUint32(1, content.length);
  return concatenate([new Uint8Array(head.buffer), content]);
}

/** @throws UpstreamFailure `broken_off` in the middle of a frame, and what reading throws */
export async function* readFrames(source: ByteSource): AsyncGenerator<Frame, void> {
  const take = taking(source);
  try {
    for (let head = await take(HEAD); head !== undefined; head = await take(HEAD)) {
      const view = new DataView(head.buffer, head.byteOffset, HEAD);
      const bytes = await take(view.getUint32(1));
      if (bytes === undefined) throw brokenOff();
      yield view.getUint8(0) === TEXT ? { kind: "text", text: decodeUtf8(bytes) } : { kind: "bytes", bytes };
    }
  } finally {
    await source.cancel();
  }
}

/** The next so many bytes; undefined where nothing is left. */
function taking(source: ByteSource): (length: number) => Promise<Uint8Array | undefined> {
  let rest: Uint8Array = new Uint8Array();
  return async (length) => {
    const pieces = [rest];
    let held = rest.length;
    while (held < length) {
      const chunk = await source.read();
      if (chunk === undefined && held === 0) return undefined;
      if (chunk === undefined) throw brokenOff();
      pieces.push(chunk);
      held += chunk.length;
    }
    const bytes = concatenate(pieces);
    rest = bytes.subarray(length);
    return bytes.subarray(0, length);
  };
}
