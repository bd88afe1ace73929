import { essence } from "../../http/media-type.ts";

export function statusLine({ status, statusText }: Response): string {
  return statusText === "" ? `HTTP ${status}` : `HTTP ${status} ${statusText.slice(0, 100)}`;
}

/** What stands in place of bytes that are not shown. */
export function bytesOf(response: Response, length: number): string {
  return `${length} bytes of ${typeOf(response)}`;
}

export function typeOf(response: Response): string {
  return mediaTypeOf(response) ?? "unknown type";
}

/** RFC 6838 §4.2; undefined where the answer has none, or something else in its place. */
export function mediaTypeOf({ headers }: Response): string | undefined {
  const type = essence(headers.get("content-type"));
  return /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/.test(type) ? type : undefined;
}
