import { essence } from "../../http/media-type.ts";
import { readBody } from "../../http/read-body.ts";
import { type JsonObject, jsonExceeds, parseJsonObject } from "../../json.ts";
import { OAuthError } from "../errors.ts";
import { invalidMetadata } from "./client-metadata.ts";

/**
 * The JSON object of a registration request (RFC 7591 §3.1), at most 32 KiB.
 *
 * @throws {OAuthError} `invalid_client_metadata`: 413 when the body is larger, else 400
 */
export async function readRegistration(request: Request): Promise<JsonObject> {
  if (essence(request.headers.get("Content-Type")) !== "application/json") {
    throw invalidMetadata("send the metadata as application/json");
  }
  const bytes = await readBody(request, MAX_BYTES);
  if (bytes === undefined) {
    const description = `the metadata may have at most ${MAX_BYTES} bytes`;
    throw new OAuthError("invalid_client_metadata", { status: 413, description });
  }
  const metadata = parseJsonObject(bytes);
  if (metadata === undefined) throw invalidMetadata("the body is not a JSON object in UTF-8");
  if (jsonExceeds(metadata, { depth: MAX_DEPTH })) throw invalidMetadata("the metadata is nested too deeply");
  return metadata;
}

const MAX_BYTES = 32 * 1024;
const MAX_DEPTH = 10;
