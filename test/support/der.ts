/** Distinguished Encoding Rules (X.690), as far as certificates in tests need them. */
export type Der = Buffer;

export function sequence(...parts: readonly Der[]): Der {
  return tagged(0x30, ...parts);
}

export function set(...parts: readonly Der[]): Der {
  return tagged(0x31, ...parts);
}

/** A positive number, big-endian. */
export function integer(bytes: Uint8Array): Der {
  const first = bytes.findIndex((byte) => byte !== 0);
  const significant = first < 0 ? Buffer.of(0) : Buffer.from(bytes.subarray(first));
  return tagged(0x02, ...((significant[0] ?? 0) >= 0x80 ? [Buffer.of(0)] : []), significant);
}

export function boolean(value: boolean): Der {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

/** Whole bytes, no bit unused. */
export function bitString(bytes: Uint8Array): Der {
  return tagged(0x03, Buffer.from([0]), bytes);
}

export function octets(...parts: readonly Der[]): Der {
  return tagged(0x04, ...parts);
}

export function utf8(text: string): Der {
  return tagged(0x0c, Buffer.from(text));
}

/** GeneralizedTime to the second, UTC. */
export function time(date: Date): Der {
  return tagged(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+Z$/g, "")}Z`));
}

/** An object identifier from its dotted numbers. */
export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...others] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...others.flatMap(base128)]));
}

/** Any other tag. */
export function tagged(tag: number, ...parts: readonly Uint8Array[]): Der {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...length(content.length)]), content]);
}

function length(count: number): number[] {
  if (count < 0x80) return [count];
  return count < 0x100 ? [0x81, count] : [0x82, count >> 8, count & 0xff];
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}
