import type { Dependencies } from "../../dependencies.ts";
import { acceptsClientDocuments, acceptsRegistrations } from "../features.ts";
import { appClient } from "./app-client.ts";
import type { OAuthClient } from "./client.ts";
import { isClientDocumentUrl } from "./document-url.ts";
import { documentClient } from "./metadata-document.ts";
import { isRegisteredClientId, registeredClient } from "./registered-client.ts";

/**
 * The client of this id: of the configuration, by its metadata document where the id is an HTTPS URL, or registered by
 * itself. Undefined when there is none, also when its document cannot be had or is not acceptable; the log says why.
 * Nothing is asked for an id that cannot be one.
 */
export async function findClient(clientId: string, dependencies: Dependencies): Promise<OAuthClient | undefined> {
  const { configuration } = dependencies.configuration();
  const app = appClient(clientId, configuration);
  if (app !== undefined) return app;
  if (isClientDocumentUrl(clientId)) {
    return acceptsClientDocuments(configuration) ? documentClient(clientId, dependencies) : undefined;
  }
  if (!isRegisteredClientId(clientId) || !acceptsRegistrations(configuration)) return undefined;
  const record = await dependencies.stores.registeredClients.get(clientId);
  return record && registeredClient(record, configuration);
}
