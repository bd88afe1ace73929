import { essence, isJson } from "../../http/media-type.ts";
import { readBody } from "../../http/read-body.ts";
import { type JsonObject, parseJsonObject } from "../../json.ts";

export interface FetchedDocument {
  readonly document: JsonObject;
  /** Milliseconds that it may be used without asking again. */
  readonly lifetime: number;
}

/**
 * Fetches a JSON object from an address that an agent supplied: 200 with a JSON type within 5 seconds and 32 KiB, nothing
 * else. The messages of errors say what was wrong, for the log.
 *
 * @param fetch `agentSuppliedFetch`
 */
export async function fetchDocument(fetch: typeof globalThis.fetch, url: string): Promise<FetchedDocument> {
  const response = await fetch(url, {
    headers: { accept: "application/json", "user-agent": "Countersign" },
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const fault = faultOf(response);
  if (fault !== undefined) {
    await response.body?.cancel();
    throw new Error(fault);
  }
  const bytes = await readBody(response, MAX_BYTES);
  if (bytes === undefined) throw new Error(`it has more than ${MAX_BYTES} bytes`);
  const document = parseJsonObject(bytes);
  if (document === undefined) throw new Error("it is not a JSON object");
  return { document, lifetime: lifetimeOf(response.headers.get("Cache-Control")) };
}

function faultOf({ status, headers }: Response): string | undefined {
  if (status >= 300 && status < 400) return `it answered ${status}; redirects are not followed`;
  if (status !== 200) return `it answered ${status}`;
  return isJson(essence(headers.get("Content-Type"))) ? undefined : "its Content-Type is not JSON";
}

/** RFC 9111 §5.2.2, between a minute and a day: less would let anybody make us ask, more would keep what was withdrawn. */
function lifetimeOf(cacheControl: string | null): number {
  const directives = (cacheControl ?? "")
    .toLowerCase()
    .split(",")
    .map((directive) => directive.trim());
  if (directives.includes("no-store") || directives.includes("no-cache")) return MIN_LIFETIME;
  const seconds = directives.map((directive) => /^max-age="?(\d{1,10})"?$/.exec(directive)?.[1]).find(Boolean);
  if (seconds === undefined) return DEFAULT_LIFETIME;
  return Math.min(MAX_LIFETIME, Math.max(MIN_LIFETIME, Number(seconds) * 1000));
}

/** Milliseconds. */
const TIMEOUT = 5_000;
const MAX_BYTES = 32 * 1024;
const MIN_LIFETIME = 60_000;
const DEFAULT_LIFETIME = 300_000;
const MAX_LIFETIME = 86_400_000;
