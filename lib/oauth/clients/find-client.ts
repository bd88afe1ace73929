import type { Dependencies } from "../../dependencies.ts";
import type { OAuthClient } from "./client.ts";

/**
 * The client of this id: of the configuration, by its metadata document where the id is an HTTPS URL, or registered by
 * itself. Undefined when there is none, also when its document cannot be had or is not acceptable; the log says why.
 */
export declare function findClient(clientId: string, dependencies: Dependencies): Promise<OAuthClient | undefined>;
