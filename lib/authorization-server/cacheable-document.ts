import { sha256base64url } from "#sha256";
import { matchesTag } from "../protocol/http/if-none-match.ts";

/**
 * A public JSON document that clients may cache for five minutes; 304 if they have it already (RFC 9110 §13.1.2).
 *
 * @param isSettled false: the document may change at any moment and must not be cached
 */
export function documentAnswer(document: object, ifNoneMatch: string | undefined, isSettled = true): Response {
  const body = JSON.stringify(document);
  const etag = `"${sha256base64url(body)}"`;
  const headers = { "Cache-Control": isSettled ? `public, max-age=${MAX_AGE_SECONDS}` : "no-cache", ETag: etag };
  if (matchesTag(ifNoneMatch, etag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, "Content-Type": "application/json" } });
}

const MAX_AGE_SECONDS = 300;
