import type { Measurement } from "./sdk/meter.ts";

/** How many requests are being answered, by method. */
export interface ActiveRequests {
  count(method: string, change: 1 | -1): void;
  read(): readonly Measurement[];
}

/** @param scheme of the public URL, `http` or `https` */
export function countActiveRequests(scheme: string): ActiveRequests {
  const active = new Map<string, number>();
  return {
    count: (method, change) => void active.set(method, (active.get(method) ?? 0) + change),
    read: () =>
      Array.from(active, ([method, value]) => ({
        value,
        attributes: { "http.request.method": method, "url.scheme": scheme },
      })),
  };
}
