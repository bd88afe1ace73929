/** How a file of the Console may be compressed (RFC 9110 §8.4.1). */
export type AssetEncoding = "br" | "gzip";

/** One file of the Console, as it goes out. */
export interface ConsoleAsset {
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  /** Entity tag of these very bytes, with its quotes. Absent: the runtime knows none. */
  readonly etag?: string | undefined;
  /** Absent: the bytes are the file's own. */
  readonly encoding?: AssetEncoding | undefined;
  /** Whether other callers get other bytes, by what they accept. */
  readonly varies: boolean;
}

/** The files that the build of the Console made (D136). What there is does not change while an instance lives. */
export interface ConsoleAssets {
  /**
   * Undefined: there is no such file. Only files of the build are ever found, whatever the path.
   *
   * @param path below the build, as `assets/index-BtR1.js`
   * @param accepted what the caller can read beside the file's own bytes; the best of it that there is
   */
  readonly read: (path: string, accepted: readonly AssetEncoding[]) => Promise<ConsoleAsset | undefined>;
}
