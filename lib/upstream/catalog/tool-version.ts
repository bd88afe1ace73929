import { sha256base64url } from "#sha256";
import { canonicalJson } from "../../kernel/canonical-json.ts";
import { utf8 } from "../../kernel/encoding.ts";
import type { JsonObject } from "../../kernel/json.ts";

/** A tool as its upstream told it once. */
export interface ToolVersion {
  /** The upstream's own name. */
  readonly tool: string;
  /** SHA-256 of the definition's canonical JSON (RFC 8785), base64url: members in another order are the same definition. */
  readonly digest: string;
  /** Of the canonical JSON in UTF-8. */
  readonly bytes: number;
  /** All of it, also what no agent is shown. */
  readonly definition: JsonObject;
}

/** @param definition with names and URIs as the upstream has them */
export function toolVersion(tool: string, definition: JsonObject): ToolVersion {
  const bytes = utf8(canonicalJson(definition));
  return { tool, digest: sha256base64url(bytes), bytes: bytes.length, definition };
}
