import type { Grants } from "../../../lib/stores/grants.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { authorizationCodes } from "./authorization-codes.ts";
import { readChain } from "./chains.ts";
import { consents } from "./consents.ts";
import type { Database } from "./database.ts";
import { interactions } from "./interactions.ts";
import { refreshTokens } from "./refresh-tokens.ts";

/** Sign-ins under way, consents, and the chains that people start, in the records table. */
export function dynamoGrants(database: Database, audit: AuditWriter): Grants {
  return {
    ...interactions(database),
    ...consents(database, audit),
    grant: (chainId, now) => readChain(database, chainId, now),
    ...authorizationCodes(database, audit),
    ...refreshTokens(database, audit),
  };
}
