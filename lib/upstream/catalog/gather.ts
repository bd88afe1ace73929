import { inTime, LateError } from "./in-time.ts";

export interface GatherOptions<A, L> {
  /** What `load` would have brought at an earlier time; undefined: nothing is known. */
  readonly last: (app: A) => L | undefined;
  /** How long all of them together may take, milliseconds. */
  readonly deadline: number;
}

export interface Gathered<A, L> {
  /** In the order of the apps. */
  readonly lists: readonly { readonly app: A; readonly list: L }[];
  /** Apps of which no list came, in their order. */
  readonly missing: readonly Missing<A>[];
}

export interface Missing<A> {
  readonly app: A;
  readonly why: "late" | "failed";
  /** For the log. */
  readonly cause: unknown;
  /** Whether an earlier list stands in for it. */
  readonly isStandIn: boolean;
}

/** Within which agents get lists, with what is there by then, milliseconds. */
export const LISTING_DEADLINE = 3_000;

/**
 * Lists of all apps, asked at once. An app that fails or is late costs itself alone (checklist 31): its last list stands in
 * for it where there is one. What arrives late is kept by whoever loads it. Never rejects for an app's sake.
 */
export async function gather<A, L>(
  apps: readonly A[],
  load: (app: A) => Promise<L>,
  { last, deadline }: GatherOptions<A, L>,
): Promise<Gathered<A, L>> {
  const asked = await Promise.all(apps.map((app) => oneOf(app, load, { last, deadline })));
  return {
    lists: asked.flatMap(({ app, list }) => (list === undefined ? [] : [{ app, list }])),
    missing: asked.flatMap(({ missing }) => missing ?? []),
  };
}

async function oneOf<A, L>(
  app: A,
  load: (app: A) => Promise<L>,
  { last, deadline }: GatherOptions<A, L>,
): Promise<{ readonly app: A; readonly list?: L | undefined; readonly missing?: Missing<A> }> {
  try {
    return { app, list: await inTime(deadline, load(app)) };
  } catch (cause) {
    const list = last(app);
    const why = cause instanceof LateError ? "late" : "failed";
    return { app, list, missing: { app, why, cause, isStandIn: list !== undefined } };
  }
}
