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
  if ("request" in part) return encodedText(requestId);
  if ("agent" in part) return identity && encodedText(identity.agent.clientID);
  // Only web apps know what a connector says (`web-apps/identity-headers.ts`), and only they can name one.
  if ("connector" in part) return undefined;
  return headerText(identity?.user, part.user);
}

/**
 * A claim as the value of a header: text, numbers and booleans, and lists of them with commas between. Undefined: it is missing or
 * something else, so that the header is left out.
 */
export function headerText(claims: object | undefined, name: string): string | undefined {
  if (claims === undefined || !Object.hasOwn(claims, name)) return undefined;
  const claim = (claims as Readonly<Record<string, unknown>>)[name];
  const values = (Array.isArray(claim) ? claim : [claim]).map(scalarText);
  return values.length === 0 || values.includes(undefined) ? undefined : values.join(",");
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? encodedText(value) : undefined;
}

/**
 * Percent-encoded where a header could not hold it or would change it: line breaks, what is not ASCII, spaces at the ends,
 * and `%` itself, so that two values never look the same (RFC 9110 §5.5).
 */
export function encodedText(value: string): string {
  return value.toWellFormed().replace(/^ +| +$|[^\x20-\x7e]|%/gu, encodeURIComponent);
}
