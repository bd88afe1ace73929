import { sha256base64url } from "#sha256";
import { canonicalJson } from "./canonical-json.ts";

/** SHA-256 of the arguments' canonical JSON, base64url: tells equal calls without keeping what they carried. */
export function argumentsDigest(value: unknown): string {
  return sha256base64url(canonicalJson(value ?? {}));
}
