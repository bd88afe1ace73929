/** What may change while clients listen. */
export type Change =
  | { readonly list: "tools" | "prompts" | "resources" }
  /** The content of one resource. */
  | { readonly uri: string };

/** Tells all listeners of one server, whichever generation they are of. */
export interface Changes {
  emit(change: Change): void;
  /** Returns what ends the listening. */
  listen(listener: (change: Change) => void): () => void;
}

export function createChanges(): Changes {
  const listeners = new Set<(change: Change) => void>();
  return {
    emit: (change) => {
      for (const listener of listeners) listener(change);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
