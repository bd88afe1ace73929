import { base64url, fromBase64url, utf8 } from "../../../lib/encoding.ts";

/** An opaque page cursor for a position: the text of an item's key. */
export function encodeCursor(position: string): string {
  return base64url(utf8(position));
}

/** The position in a cursor. A text that holds none of the given form reads as the beginning. */
export function decodeCursor(cursor: string | undefined, form: RegExp): string | undefined {
  const bytes = cursor === undefined ? undefined : fromBase64url(cursor);
  const position = bytes && new TextDecoder().decode(bytes);
  return position !== undefined && form.test(position) ? position : undefined;
}
