/** A value of a query parameter; undefined and the empty text leave it out. */
export type QueryValue = string | number | boolean | undefined;

export type Query = Readonly<Record<string, QueryValue>>;

/** One request of the management API. */
export interface ApiRequest {
  /** GET unless stated. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api/v1`, for example `/api-clients`; `path` builds those with ids in them. */
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** An ETag of an earlier answer: the change happens only if nobody changed the thing since (412 otherwise). */
  readonly ifMatch?: string | undefined;
  /** `application/json` unless stated. */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; 20 seconds unless stated. */
  readonly timeout?: number;
  /** A request that works without a session: its 401 says something about what was sent, not that the session is over. */
  readonly isPublic?: boolean;
}

/** An answer of the API: its body (undefined for 204) and the version that `ifMatch` takes. */
export interface Answer<Body> {
  readonly body: Body;
  readonly etag: string | undefined;
  readonly status: number;
}

/** A page of a list; without `nextCursor` it is the last one. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/**
 * A path with ids in it, each of them encoded.
 *
 * @example path`/api-clients/${clientId}/key-pairs`
 */
export function path(strings: TemplateStringsArray, ...ids: readonly string[]): string {
  return strings.reduce((text, string, index) => text + encodeURIComponent(ids[index - 1] ?? "") + string);
}

/** The address of a request, relative to the origin. */
export function address({ path, query = {} }: Pick<ApiRequest, "path" | "query">): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)])).toString();
  return `/api/v1${path}${search === "" ? "" : `?${search}`}`;
}
