/** The media type without its parameters, in lower case (RFC 9110 §8.3.1); empty when there is none. */
export function essence(contentType: string | null | undefined): string {
  return (contentType?.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** Whether an essence is `application/json` or anything `+json` (RFC 6839 §3.1). */
export function isJson(essence: string): boolean {
  return essence === "application/json" || /^[a-z0-9!#$&^_.-]+\/[a-z0-9!#$&^_.-]+\+json$/.test(essence);
}
