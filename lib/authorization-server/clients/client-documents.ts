import { boundedCache } from "../../kernel/bounded-cache.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type JsonObject, parseJsonObject } from "../../kernel/json.ts";
import { createRateLimit } from "../../kernel/rate-limit.ts";
import { loggableUrl, reasonOf } from "../../logging/fetch-report.ts";
import type { Logger } from "../../logging/logger.ts";
import { essence, isJson } from "../../protocol/http/media-type.ts";
import { readBody } from "../../protocol/http/read-body.ts";

/** Client ID Metadata Documents, and the key sets they name, by URL. Plain values only (D29). */
export interface ClientDocuments {
  /**
   * The JSON object at the URL. It is fetched with `agentSuppliedFetch` within the limits of checklist 21 and cached as its
   * `Cache-Control` allows. Undefined if it cannot be fetched.
   *
   * @param maxAge milliseconds; a document that was fetched earlier does not count, whatever its server allows
   */
  get(url: string, maxAge?: number): Promise<JsonObject | undefined>;
}

interface ClientDocumentsParts {
  /** Outbound HTTP to addresses that an agent supplied (checklist 21). */
  readonly agentSuppliedFetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The client documents of one instance. Anybody can make us fetch a URL, so three things are limited: the number of cached
 * documents, the requests to one host, and the requests to all hosts. Beyond the limits a cached document is used for a day.
 *
 * The cache holds plain values. Two requests that need the same document at the same time both fetch it (D29).
 */
export function createClientDocuments({ agentSuppliedFetch, clock, logger }: ClientDocumentsParts): ClientDocuments {
  const documents = boundedCache<string, CachedDocument>(MAX_DOCUMENTS);
  /** A separate cache: URLs without a document must not displace documents. */
  const failures = boundedCache<string, CachedDocument>(MAX_DOCUMENTS);
  const hosts = createRateLimit(clock, HOST_LIMIT);
  const all = createRateLimit(clock, TOTAL_LIMIT);

  const find = (url: string) => documents.get(url) ?? failures.get(url);

  const fetchAndCache = async (url: string, known: CachedDocument | undefined): Promise<JsonObject | undefined> => {
    const fetchedAt = clock.now();
    const { document, lifetime } = await attempt(url);
    const current = find(url);
    // A slower request does not put an older document in the place of a newer one.
    if (current === known || (current?.fetchedAt ?? 0) <= fetchedAt) {
      const [there, away] = document === undefined ? [failures, documents] : [documents, failures];
      away.delete(url);
      there.put(url, { document, fetchedAt, freshUntil: fetchedAt + lifetime });
    }
    return document;
  };

  const attempt = async (url: string): Promise<FetchedDocument | { document: undefined; lifetime: number }> => {
    try {
      return await fetchDocument(agentSuppliedFetch, url);
    } catch (error) {
      logger.info("client document cannot be had", { url: loggableUrl(url), reason: reasonOf(error) });
      return { document: undefined, lifetime: FAILURE_LIFETIME };
    }
  };

  return {
    get: async (url, maxAge = MAX_AGE) => {
      const now = clock.now();
      const known = find(url);
      if (known !== undefined && now < Math.min(known.freshUntil, known.fetchedAt + maxAge) && now >= known.fetchedAt) {
        return known.document;
      }
      if (hosts.take(new URL(url).host) && all.take("")) return fetchAndCache(url, known);
      logger.info("client document not asked for: too many requests", { url: loggableUrl(url) });
      return known !== undefined && now < known.fetchedAt + MAX_AGE ? known.document : undefined;
    },
  };
}

const MAX_DOCUMENTS = 300;
/** Milliseconds. */
const FAILURE_LIFETIME = 30_000;
const MAX_AGE = 86_400_000;
/** One host has few clients. Each has a document and a key set. */
const HOST_LIMIT = { capacity: 10, perSecond: 0.2 };
const TOTAL_LIMIT = { capacity: 100, perSecond: 5 };

/** The result of one fetch: a document, or none. Times in milliseconds since the epoch. */
interface CachedDocument {
  readonly document: JsonObject | undefined;
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

interface FetchedDocument {
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
async function fetchDocument(fetch: typeof globalThis.fetch, url: string): Promise<FetchedDocument> {
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

/** RFC 9111 §5.2.2, at least a minute and at most a day. Less would cause too many requests, more would use withdrawn documents. */
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
