/** Stands for `lib/config/schema/about.ts` on Workers: says nothing of a key. */
export function about(_description: string, _example?: unknown): undefined {
  // The bundler leaves out calls of a function that does nothing, and with them the texts: 11 KiB of the Worker after gzip.
}
