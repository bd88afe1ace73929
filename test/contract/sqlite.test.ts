import { loneSqliteEngine, sqliteEngines } from "./engines/sqlite.ts";
import { everyContract } from "./every-suite.ts";
import { mcpSessionExpiryContract } from "./mcp-session-expiry.ts";
import { mcpSessionRacesContract } from "./mcp-session-races.ts";
import { mcpSessionUpstreamsContract } from "./mcp-session-upstreams.ts";
import { mcpSessionsContract } from "./mcp-sessions.ts";

for (const engine of sqliteEngines) everyContract(engine);

const sessions = [mcpSessionsContract, mcpSessionExpiryContract, mcpSessionRacesContract, mcpSessionUpstreamsContract];
for (const contract of sessions) contract(loneSqliteEngine);
