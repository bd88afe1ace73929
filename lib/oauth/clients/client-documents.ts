import type { JsonObject } from "../../json.ts";

/** Client ID Metadata Documents, and the key sets they name, by URL. Plain values only (D29). */
export interface ClientDocuments {
  /**
   * The JSON object at the URL, fetched by `agentSuppliedFetch` within the caps of checklist 21 and kept for a while as its
   * `Cache-Control` allows; undefined when it cannot be had.
   *
   * @param maxAge milliseconds: what was fetched longer ago does not count, whatever its server allows
   */
  get(url: string, maxAge?: number): Promise<JsonObject | undefined>;
}
