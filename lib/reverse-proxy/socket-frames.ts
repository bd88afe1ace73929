/** Follows the frames of one direction of a WebSocket (RFC 6455 section 5.2), which are passed on as they are. */
export interface SocketFrames {
  /**
   * Takes the next bytes of the stream.
   * @returns how many of them the first frame that ends in them takes; undefined: none ends
   */
  feed(bytes: Uint8Array): number | undefined;
  /** A frame of somebody else may be put here: none is under way. */
  isAtBoundary(): boolean;
  /** The last frame that began is one that closes: nobody may send another one after it. */
  isClosing(): boolean;
}

/** Nothing is kept of what passes but where the frame under way ends. */
export function followFrames(): SocketFrames {
  /** Bytes of the header under way that are read already; after them the header is looked at as a whole. */
  const header: number[] = [];
  /** Bytes that the payload still has, with its mask. */
  let left = 0;
  let isClosing = false;

  /** Takes one byte of a header. It is complete once its own first bytes say so. */
  function takeHeader(byte: number): void {
    header.push(byte);
    const length = headerLength(header);
    if (header.length < length) return;
    isClosing = ((header[0] ?? 0) & OPCODE) === CLOSE;
    left = payloadLength(header);
    header.length = 0;
  }

  function feed(bytes: Uint8Array): number | undefined {
    let first: number | undefined;
    for (let at = 0; at < bytes.length; ) {
      if (left > 0) {
        const taken = Math.min(left, bytes.length - at);
        left -= taken;
        at += taken;
      } else {
        takeHeader(bytes[at] ?? 0);
        at += 1;
      }
      if (first === undefined && isAtBoundary()) first = at;
    }
    return first;
  }

  function isAtBoundary(): boolean {
    return left === 0 && header.length === 0;
  }

  return { feed, isAtBoundary, isClosing: () => isClosing };
}

const OPCODE = 0x0f;
const CLOSE = 0x8;
const MASKED = 0x80;
const LENGTH = 0x7f;

/** Bytes of a frame before its payload; as far as what is there of them says. */
function headerLength([, second]: readonly number[]): number {
  if (second === undefined) return 2;
  const length = second & LENGTH;
  const extended = length === 127 ? 8 : length === 126 ? 2 : 0;
  return 2 + extended + ((second & MASKED) === 0 ? 0 : 4);
}

/** Lengths beyond what numbers hold exactly never end. */
function payloadLength([, second = 0, ...rest]: readonly number[]): number {
  const length = second & LENGTH;
  if (length < 126) return length;
  const extended = rest.slice(0, length === 126 ? 2 : 8);
  return extended.reduce((sum, byte) => sum * 256 + byte, 0);
}

/**
 * A frame that closes, with a code and a reason (sections 5.5.1 and 7.4).
 *
 * @param reason at most 123 bytes
 * @param mask four bytes that nobody can foresee, as every client's frame has (section 5.3); absent: it is a server's
 */
export function closeFrame(code: number, reason: string, mask?: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(reason);
  const payload = Uint8Array.from([code >> 8, code & 0xff, ...text]);
  const first = 0x80 | CLOSE;
  if (mask === undefined) return Uint8Array.from([first, payload.length, ...payload]);
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return Uint8Array.from([first, MASKED | payload.length, ...mask, ...masked]);
}
