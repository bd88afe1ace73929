export interface PageRequest {
  readonly limit: number;
  /** Opaque; from the previous page's `nextCursor`. */
  readonly cursor?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}
