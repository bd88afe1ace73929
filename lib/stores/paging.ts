export interface PageRequest {
  readonly limit: number;
  /** Opaque; from the previous page's `nextCursor`. A text that is no cursor of this list reads as the beginning; the API refuses it. */
  readonly cursor?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}
