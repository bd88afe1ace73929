import type { Keeping } from "./keeping.ts";

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
  | ({ readonly id: number } & CodedError);

export type ThreadRequest = { readonly calls: readonly ThreadCall[] } | { readonly close: true };

/** What the thread posts: results, or a change of whether what is written is kept. */
export type ThreadMessage = readonly ThreadResult[] | Keeping;

/** What the thread that copies the log posts after each copy. */
export type CopyOutcome = "copied" | CodedError;

interface CodedError {
  readonly error: unknown;
  readonly code: number | undefined;
}

/** The error as it was thrown in the thread. */
export function withCode({ error, code }: CodedError): unknown {
  return error instanceof Error && code !== undefined ? Object.assign(error, { errcode: code }) : error;
}

/** One that calls: the process that started the thread, or another one at its socket. */
export interface Client {
  send(message: ThreadMessage): void;
}

/** What the thread is started with. */
export interface ThreadData {
  /** Folder of the store, as `openSqlite` takes it. */
  readonly folder: string;
  /** Where other processes of the server reach it; absent: there are none. */
  readonly socket?: string | undefined;
}
