import { boundedMap } from "../../bounded-map.ts";
import type { Dependencies } from "../../dependencies.ts";
import { loggableUrl, reasonOf } from "../../health/report.ts";
import type { JsonObject } from "../../json.ts";
import { createRateLimit } from "../../rate-limit.ts";
import type { ClientDocuments } from "./client-documents.ts";
import { type FetchedDocument, fetchDocument } from "./fetch-document.ts";

/** A document, or that there was none, as it was found. Times in milliseconds since the epoch. */
interface Kept {
  readonly document: JsonObject | undefined;
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

/**
 * Client documents of one instance. Strangers decide what is asked for, so that much is bounded: how many are kept, how
 * often a host is asked and all of them together. Beyond that, what is known already is used for a day.
 *
 * What is kept are plain values: two requests that want the same document at once both fetch it (D29).
 */
export function createClientDocuments({
  agentSuppliedFetch,
  clock,
  logger,
}: Pick<Dependencies, "agentSuppliedFetch" | "clock" | "logger">): ClientDocuments {
  const documents = boundedMap<string, Kept>(MAX_DOCUMENTS);
  /** Apart, so that addresses where there is nothing push no document out. */
  const failures = boundedMap<string, Kept>(MAX_DOCUMENTS);
  const hosts = createRateLimit(clock, HOST_LIMIT);
  const all = createRateLimit(clock, TOTAL_LIMIT);

  const find = (url: string) => documents.get(url) ?? failures.get(url);

  const fetchAndKeep = async (url: string, known: Kept | undefined): Promise<JsonObject | undefined> => {
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
      if (hosts.take(new URL(url).host) && all.take("")) return fetchAndKeep(url, known);
      logger.info("client document not asked for: too many requests", { url: loggableUrl(url) });
      return known !== undefined && now < known.fetchedAt + MAX_AGE ? known.document : undefined;
    },
  };
}

const MAX_DOCUMENTS = 300;
/** Milliseconds. */
const FAILURE_LIFETIME = 30_000;
const MAX_AGE = 86_400_000;
/** One host has few clients, each with a document and a set of keys. */
const HOST_LIMIT = { capacity: 10, perSecond: 0.2 };
const TOTAL_LIMIT = { capacity: 100, perSecond: 5 };
