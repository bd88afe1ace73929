/** What the reference page and editors say about a key. */
export interface About {
  readonly description: string;
  readonly examples?: readonly [unknown];
}

/**
 * What a key is for. `#about` is this function, and on Workers one that says nothing (package.json, imports): nobody asks an
 * instance for these texts.
 *
 * @param example as it is written in YAML; left out where the default or the accepted values show it
 */
export function about(description: string, example?: unknown): About | undefined {
  return { description, ...(example !== undefined && { examples: [example] as const }) };
}
