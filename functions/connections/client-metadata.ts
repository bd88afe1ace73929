import { documentAnswer } from "../../lib/authorization-server/cacheable-document.ts";
import { publicHalf } from "../../lib/connections/client-key.ts";
import { clientMetadata, documentConnector } from "../../lib/connections/client-metadata.ts";
import type { ProviderDiscovery } from "../../lib/connections/discover.ts";
import { ProviderNotResolved } from "../../lib/connections/resolved-provider.ts";
import type { Endpoint } from "../env.ts";

type Providers = Pick<ProviderDiscovery, "documentMethod" | "documentKeys">;

/**
 * GET the Client ID Metadata Document by which this service is a client of the provider of one connector. 503 while that provider cannot
 * be found: whoever read another document would keep it.
 */
export function connectClientMetadata(providers: Providers): Endpoint {
  return (dependencies) => async (c) => {
    const { configuration } = dependencies.configuration();
    const connector = documentConnector(c.req.param("connector") ?? "", configuration);
    if (connector === undefined) return c.notFound();
    try {
      const method = await providers.documentMethod(connector);
      return documentAnswer(clientMetadata(connector, method, configuration), c.req.header("If-None-Match"));
    } catch (error) {
      if (!(error instanceof ProviderNotResolved)) throw error;
      return c.body(null, 503, { "Retry-After": "5", "Cache-Control": "no-store" });
    }
  };
}

/** GET the public keys of that client (RFC 7517 §5). */
export function connectClientKeys(providers: Providers): Endpoint {
  return (dependencies) => async (c) => {
    const connector = documentConnector(c.req.param("connector") ?? "", dependencies.configuration().configuration);
    if (connector === undefined) return c.notFound();
    const keys = (await providers.documentKeys(connector)).map(publicHalf);
    return documentAnswer({ keys }, c.req.header("If-None-Match"));
  };
}
