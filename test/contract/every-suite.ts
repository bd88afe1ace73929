import { apiClientsContract } from "./api-clients.ts";
import { auditLogContract } from "./audit-log.ts";
import { authorizationGrantsContract } from "./authorization-grants.ts";
import { clocksContract } from "./clocks.ts";
import { consentsContract } from "./consents.ts";
import { directoryContract } from "./directory.ts";
import type { StoreEngine } from "./engine.ts";
import { failingGrantsContract } from "./failing-grants.ts";
import { failingWritesContract } from "./failing-writes.ts";
import { grantClocksContract } from "./grant-clocks.ts";
import { grantsContract } from "./grants.ts";
import { interactionsContract } from "./interactions.ts";
import { keyPairUseContract } from "./key-pair-use.ts";
import { mcpSessionExpiryContract } from "./mcp-session-expiry.ts";
import { mcpSessionRacesContract } from "./mcp-session-races.ts";
import { mcpSessionsContract } from "./mcp-sessions.ts";
import { refreshTokensContract } from "./refresh-tokens.ts";
import { registeredClientsContract } from "./registered-clients.ts";
import { signingKeysContract } from "./signing-keys.ts";
import { singleUseContract } from "./single-use.ts";
import { tokenExchangeContract } from "./token-exchange.ts";
import { tokenRacesContract } from "./token-races.ts";
import { tokensContract } from "./tokens.ts";

/** Every suite of the store ports. */
export function everyContract(engine: StoreEngine): void {
  apiClientsContract(engine);
  keyPairUseContract(engine);
  grantsContract(engine);
  tokensContract(engine);
  tokenRacesContract(engine);
  tokenExchangeContract(engine);
  interactionsContract(engine);
  consentsContract(engine);
  authorizationGrantsContract(engine);
  refreshTokensContract(engine);
  grantClocksContract(engine);
  registeredClientsContract(engine);
  signingKeysContract(engine);
  singleUseContract(engine);
  directoryContract(engine);
  auditLogContract(engine);
  mcpSessionsContract(engine);
  mcpSessionExpiryContract(engine);
  mcpSessionRacesContract(engine);
  failingWritesContract(engine);
  failingGrantsContract(engine);
  clocksContract(engine);
}
