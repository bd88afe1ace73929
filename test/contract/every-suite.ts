import { apiClientsContract } from "./api-clients.ts";
import { auditLogContract } from "./audit-log.ts";
import { clocksContract } from "./clocks.ts";
import { directoryContract } from "./directory.ts";
import type { StoreEngine } from "./engine.ts";
import { failingWritesContract } from "./failing-writes.ts";
import { grantsContract } from "./grants.ts";
import { keyPairUseContract } from "./key-pair-use.ts";
import { mcpSessionExpiryContract } from "./mcp-session-expiry.ts";
import { mcpSessionRacesContract } from "./mcp-session-races.ts";
import { mcpSessionsContract } from "./mcp-sessions.ts";
import { singleUseContract } from "./single-use.ts";
import { tokenRacesContract } from "./token-races.ts";
import { tokensContract } from "./tokens.ts";

/** Every suite of the store ports. */
export function everyContract(engine: StoreEngine): void {
  apiClientsContract(engine);
  keyPairUseContract(engine);
  grantsContract(engine);
  tokensContract(engine);
  tokenRacesContract(engine);
  singleUseContract(engine);
  directoryContract(engine);
  auditLogContract(engine);
  mcpSessionsContract(engine);
  mcpSessionExpiryContract(engine);
  mcpSessionRacesContract(engine);
  failingWritesContract(engine);
  clocksContract(engine);
}
