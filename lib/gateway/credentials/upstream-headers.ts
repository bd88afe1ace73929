import type { HeaderPart, UpstreamHeader } from "../../config/header-template.ts";
import type { Identity } from "../identity.ts";

export interface HeaderSources {
  readonly identity: Pick<Identity, "user" | "agent"> | undefined;
  readonly requestId: string;
}

/**
 * The headers of `upstream.headers` for one call. A header whose value the call does not bring is left out: an empty or
 * half a name could be taken for somebody.
 */
export function upstreamHeaders(
  headers: readonly UpstreamHeader[],
  sources: HeaderSources,
): Readonly<Record<string, string>> {
  const filled = headers.flatMap(({ name, parts }) => {
    const values = parts.map((part) => filledPart(part, sources));
    return values.includes(undefined) ? [] : [[name, values.join("")] as const];
  });
  return Object.fromEntries(filled);
}

function filledPart(part: HeaderPart, { identity, requestId }: HeaderSources): string | undefined {
  if ("text" in part) return part.text;
  if ("request" in part) return encoded(requestId);
  if ("agent" in part) return identity && encoded(identity.agent.clientID);
  const { user = {} } = identity ?? {};
  return claimText(Object.hasOwn(user, part.user) ? (user as Readonly<Record<string, unknown>>)[part.user] : undefined);
}

/** Text, numbers and booleans, and lists of them with commas between. */
function claimText(claim: unknown): string | undefined {
  const values = (Array.isArray(claim) ? claim : [claim]).map(scalarText);
  return values.length === 0 || values.includes(undefined) ? undefined : values.join(",");
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? encoded(value) : undefined;
}

/**
 * Percent-encoded where a header could not hold it or would change it: line breaks, what is not ASCII, spaces at the ends,
 * and `%` itself, so that two values never look the same (RFC 9110 §5.5).
 */
function encoded(value: string): string {
  return value.toWellFormed().replace(/^ +| +$|[^\x20-\x7e]|%/gu, encodeURIComponent);
}
