import { fromBase64url, utf8 } from "../../encoding.ts";
import { isJsonObject } from "../../json.ts";
import { RequestError } from "../request-error.ts";
import { wellFormed } from "./percent-encoding.ts";

/** What an agent gives for a file: its bytes in base64, or its text. `openapi/file-schema.ts` has the schema. */
export interface GivenFile {
  readonly data?: string;
  readonly text?: string;
  readonly filename?: string;
  readonly contentType?: string;
}

const MEMBERS = new Set(["data", "text", "filename", "contentType"]);

export function isFile(value: unknown): value is GivenFile {
  if (!isJsonObject(value) || Object.keys(value).some((name) => !MEMBERS.has(name))) return false;
  return (typeof value.data === "string") !== (typeof value.text === "string");
}

/** The bytes of a file. Throws a `RequestError` when its base64 is none. */
export function bytesOf(argument: string, { data, text }: GivenFile): Uint8Array<ArrayBuffer> {
  if (data === undefined) return utf8(wellFormed(argument, text ?? ""));
  const bytes = fromBase64(data);
  if (bytes === undefined) throw new RequestError(`${argument}.data`, "is not valid base64");
  return bytes;
}

/** RFC 9110 §8.3.1, without what could end the header. */
export function mediaTypeOf(argument: string, { contentType }: GivenFile): string | undefined {
  if (contentType === undefined || MEDIA_TYPE.test(contentType)) return contentType;
  throw new RequestError(`${argument}.contentType`, 'is not a media type, for example "image/png"');
}

const MEDIA_TYPE =
  /^[a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100}( ?; ?[a-z0-9-]{1,50}=[a-z0-9!#$&^_.+-]{1,100})?$/i;

/** Either alphabet of RFC 4648, padded or not, in lines or not. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const unpadded = text.replaceAll(/\s+/g, "").replace(/={1,2}$/, "");
  return fromBase64url(unpadded.replaceAll("+", "-").replaceAll("/", "_"));
}
