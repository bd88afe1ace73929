import { essence } from "../../http/media-type.ts";

export function statusLine({ status, statusText }: Response): string {
  return statusText === "" ? `HTTP ${status}` : `HTTP ${status} ${statusText.slice(0, 100)}`;
}

/** What stands in place of bytes that are not shown. */
export function bytesOf(response: Response, length: number): string {
  return `${length} bytes of ${typeOf(response)}`;
}

export function typeOf({ headers }: Response): string {
  return essence(headers.get("content-type")) || "unknown type";
}
