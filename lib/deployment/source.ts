/** Where bundles come from. */
export interface BundleSource {
  /** For the log: without credentials. */
  readonly name: string;
  /**
   * What is there now; undefined when it is still what had this tag. Rejects when it cannot be read.
   *
   * @param known tag of the bundle that was read last
   */
  read(known: string | undefined, signal: AbortSignal | undefined): Promise<FoundBundle | undefined>;
  /** Each that is kept, the latest first; absent: the source has one alone. Rejects as `read` does. */
  readonly all?: () => Promise<readonly (() => Promise<FoundBundle | undefined>)[]>;
}

export interface FoundBundle {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Says whether it is still the same; absent: the source cannot tell. */
  readonly tag?: string | undefined;
}

/** There is nothing at the source: nobody has published yet. */
export class NothingPublishedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NothingPublishedError";
  }
}

/** Why an instance does not start with what is published, in words for whoever starts it. */
export class DeploymentError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = "DeploymentError";
  }
}

/** A place that is read by a GET request. */
export interface FetchedPlace {
  /** For the log: without credentials. */
  readonly name: string;
  /** Without userinfo. */
  readonly address: URL;
  /** What the place asks for besides, its credentials among them; made anew for each look. */
  readonly headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}

/** For a whole answer, milliseconds. */
const TIMEOUT = 30_000;

/**
 * A bundle behind a URL, asked for with its entity tag (RFC 9110 §13.1.2). Redirects are not followed: the operator names the place.
 *
 * @param limit bytes of a bundle
 */
export function fetchedSource(
  { name, address, headers }: FetchedPlace,
  fetch: typeof globalThis.fetch,
  limit: number,
): BundleSource {
  return {
    name,
    read: async (known, signal) => {
      const timeout = AbortSignal.timeout(TIMEOUT);
      const response = await fetch(address, {
        headers: { ...(await headers()), ...(known !== undefined && { "If-None-Match": known }) },
        redirect: "manual",
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      if (response.status === 200)
        return { bytes: await bodyOf(response, limit), tag: response.headers.get("ETag") ?? undefined };
      await response.body?.cancel();
      if (response.status === 304 && known !== undefined) return undefined;
      if (response.status === 404) throw new NothingPublishedError(`${name} answered with status 404`);
      throw new Error(`${name} answered with status ${response.status}`);
    },
  };
}

export interface HttpSourceOptions {
  /** Presented as a bearer token; absent: none is. */
  readonly token?: string | undefined;
  /** Bytes of a bundle. */
  readonly limit: number;
}

/** @param url its query and userinfo are credentials, and appear nowhere */
export function httpSource(
  url: URL,
  fetch: typeof globalThis.fetch,
  { token, limit }: HttpSourceOptions,
): BundleSource {
  const basic =
    url.username === ""
      ? undefined
      : `Basic ${btoa(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`)}`;
  const Authorization = token === undefined ? basic : `Bearer ${token}`;
  const address = new URL(url);
  [address.username, address.password] = ["", ""];
  const headers = {
    Accept: "application/jose+json, application/json, application/octet-stream",
    ...(Authorization !== undefined && { Authorization }),
  };
  return fetchedSource({ name: url.origin + url.pathname, address, headers: () => headers }, fetch, limit);
}

async function bodyOf({ body }: Response, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    length += piece.length;
    if (length > limit) throw new Error(`the bundle is larger than ${limit} bytes`);
    pieces.push(piece);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
