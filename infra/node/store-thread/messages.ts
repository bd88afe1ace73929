/** Calls go to the store's thread, and their results come back, in batches: a message costs more than a call in it. */
export interface ThreadCall {
  /** Names the call among those of this process. */
  readonly id: number;
  readonly port: string;
  readonly operation: string;
  readonly args: readonly unknown[];
}

export type ThreadResult =
  | { readonly id: number; readonly value: unknown }
  /** `code`: SQLite's primary result code. What an error says of that itself does not survive the copying. */
  | { readonly id: number; readonly error: unknown; readonly code: number | undefined };

export type ThreadRequest = { readonly calls: readonly ThreadCall[] } | { readonly close: true };

/** What the thread is started with. */
export interface ThreadData {
  /** Folder of the store, as `openSqlite` takes it. */
  readonly folder: string;
}
