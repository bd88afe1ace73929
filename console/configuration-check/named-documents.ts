import type { ReadDocument } from "../../lib/config/document-source.ts";
import type { NamedDocument, Surroundings } from "./protocol.ts";

const TIMEOUT = 30_000;
/** Characters of a document from another host. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** The documents that the texts of one check name. */
export interface NamedDocuments {
  readonly read: ReadDocument;
  /** Those that were asked for, in that order. */
  list(): readonly NamedDocument[];
}

type Fetched = { readonly text: string; readonly uri: string };

/** What was fetched stays, so that no host is asked again after each key that is pressed. */
export type FetchedDocuments = Map<string, Fetched>;

/**
 * Documents as a page has them: what the person gave, and by `https` what other hosts give to everybody. Files are found by the
 * name that the configuration has for them.
 *
 * @param announce is told of each document before it is read
 */
export function namedDocuments(
  { files, mayFetch }: Surroundings,
  fetched: FetchedDocuments,
  announce: (uri: string) => void,
): NamedDocuments {
  const named = new Map<string, NamedDocument>();
  const missing = (uri: string, reason: string): Error => {
    named.set(uri, { uri, state: "missing", reason });
    return new Error(`cannot be read: ${reason}`);
  };
  return {
    list: () => [...named.values()],
    read: async (uri) => {
      announce(uri);
      const given = Object.hasOwn(files, uri) ? files[uri] : undefined;
      if (given !== undefined) {
        named.set(uri, { uri, state: "given" });
        return given;
      }
      if (!uri.startsWith("https://")) throw missing(uri, NOT_GIVEN);
      const kept = fetched.get(uri);
      if (kept === undefined && !mayFetch) throw missing(uri, NOT_FETCHED);
      try {
        const answer = kept ?? (await download(uri));
        fetched.set(uri, answer);
        named.set(uri, { uri, state: "fetched" });
        return answer;
      } catch (error) {
        throw missing(uri, `${(error as Error).message}; add the file below`);
      }
    },
  };
}

const NOT_GIVEN = "the browser does not have this file; add it below";
const NOT_FETCHED = "it is on another host; fetch it or add the file below";

/** Without cookies and without saying from where: the host learns no more than that somebody reads it. */
async function download(uri: string): Promise<Fetched> {
  const response = await fetch(uri, {
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(TIMEOUT),
  }).catch((cause: unknown) => {
    throw new Error("the host did not answer, or allows no other page to read it (CORS)", { cause });
  });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const text = await response.text();
  if (text.length > MAX_CHARACTERS) throw new Error(`larger than ${MAX_CHARACTERS} characters`);
  return { text, uri: response.url };
}
