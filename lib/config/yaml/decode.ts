import type { ConfigurationMessage } from "../messages.ts";

const LINE_FEED = 0x0a;
const REPLACEMENT = "\uFFFD";
const ENCODINGS: readonly (readonly [mark: readonly number[], name: string])[] = [
  [[0xff, 0xfe], "UTF-16"],
  [[0xfe, 0xff], "UTF-16"],
];

/** Reads the bytes of a YAML file as UTF-8, with or without a byte order mark; bytes that are none are never guessed at. */
export function decodeYaml(
  bytes: Uint8Array,
  file: string,
): { readonly text: string } | { readonly errors: readonly ConfigurationMessage[] } {
  const text = decode(bytes);
  if (text !== undefined) return { text };
  const other = ENCODINGS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte));
  const found = other === undefined ? "bytes that are not UTF-8" : `${other[1]} text`;
  const [line, column] = other === undefined ? firstInvalid(bytes) : [1, 1];
  return { errors: [{ file, line, column, path: "", message: `found ${found}; accepted: UTF-8` }] };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** No byte of a longer character is a line feed, so that each line can be looked at for itself. */
function firstInvalid(bytes: Uint8Array): readonly [line: number, column: number] {
  let start = 0;
  for (let line = 1; start <= bytes.length; line++) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    const part = bytes.subarray(start, end);
    if (decode(part) === undefined) return [line, new TextDecoder().decode(part).indexOf(REPLACEMENT) + 1];
    start = end + 1;
  }
  return [1, 1];
}
