import fc from "fast-check";
import { expect, test } from "vitest";
import { closeFrame, followFrames } from "../../lib/reverse-proxy/socket-frames.ts";

interface Written {
  readonly opcode: number;
  readonly length: number;
  readonly isMasked: boolean;
  /** Bytes that tell the length: senders should take the fewest, and not all do. */
  readonly lengthBytes: 0 | 2 | 8;
}

const frame: fc.Arbitrary<Written> = fc.record({
  opcode: fc.constantFrom(0, 1, 2, 9, 10),
  length: fc.oneof(fc.integer({ min: 0, max: 130 }), fc.constantFrom(125, 126, 127, 255, 256, 65_535, 65_536, 70_000)),
  isMasked: fc.boolean(),
  lengthBytes: fc.constantFrom(0, 2, 8),
});

/** Content that looks like headers of frames. */
function written({ opcode, length, isMasked, lengthBytes }: Written): Uint8Array {
  const fewest = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const extended = Math.max(fewest, lengthBytes);
  const short = extended === 0 ? length : extended === 2 ? 126 : 127;
  const telling = Array.from({ length: extended }, (_, at) => Math.floor(length / 256 ** (extended - 1 - at)) % 256);
  const mask = isMasked ? [0x81, 0xfe, 0x88, 0x7f] : [];
  const payload = new Uint8Array(length).map((_, at) => [0x81, 0xff, 0x88, 0x02, 0x7e][at % 5] ?? 0);
  return Uint8Array.from([0x80 | opcode, (isMasked ? 0x80 : 0) | short, ...telling, ...mask, ...payload]);
}

/** Where frames end in a stream of them. */
function endsOf(frames: readonly Uint8Array[]): readonly number[] {
  let end = 0;
  return frames.map(({ length }) => (end += length));
}

test("the ends of frames are found, wherever the stream is cut", () => {
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 4 }), (frames) => {
      const parts = frames.map(written);
      const stream = Buffer.concat(parts);
      const ends = endsOf(parts);
      const small = stream.length > 2_000 ? near(ends, stream.length) : range(stream.length + 1);
      for (const cut of small) {
        const follower = followFrames();
        const first = follower.feed(stream.subarray(0, cut));
        expect(first).toBe(ends.find((end) => end <= cut));
        expect(follower.isAtBoundary()).toBe(cut === 0 || ends.includes(cut));
        const next = follower.feed(stream.subarray(cut));
        const found = ends.find((end) => end > cut);
        expect(next).toBe(found === undefined ? undefined : found - cut);
        expect(follower.isAtBoundary()).toBe(true);
        expect(follower.isClosing()).toBe(false);
      }
    }),
    { numRuns: 60 },
  );
});

test("byte by byte, a stream has its boundaries where its frames end", () => {
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 3 }), (frames) => {
      const parts = frames.map(written);
      const stream = Buffer.concat(parts);
      const follower = followFrames();
      const boundaries = range(stream.length).filter((at) => follower.feed(stream.subarray(at, at + 1)) !== undefined);
      expect(boundaries.map((at) => at + 1)).toEqual(endsOf(parts));
    }),
    { numRuns: 20 },
  );
});

test.each([[undefined], [Uint8Array.of(1, 2, 3, 4)]])("a frame that closes is one, with the mask %o", (mask) => {
  const follower = followFrames();
  follower.feed(written({ opcode: 1, length: 3, isMasked: false, lengthBytes: 0 }));
  expect(follower.isClosing()).toBe(false);
  const closing = closeFrame(4401, "The session has ended.", mask);
  expect(follower.feed(closing)).toBe(closing.length);
  expect(follower.isClosing()).toBe(true);
  const begin = mask === undefined ? 2 : 6;
  const payload = closing.slice(begin).map((byte, at) => byte ^ (mask?.[at % 4] ?? 0));
  expect((payload[0] ?? 0) * 256 + (payload[1] ?? 0)).toBe(4401);
  expect(new TextDecoder().decode(payload.slice(2))).toBe("The session has ended.");
});

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, at) => at);
}

/** Of a long stream, the cuts around all headers. */
function near(ends: readonly number[], length: number): readonly number[] {
  return [0, ...ends].flatMap((end) => range(33).map((at) => end - 16 + at)).filter((at) => at >= 0 && at <= length);
}
