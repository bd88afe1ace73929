import type { Mutant } from "./mutant.ts";
import { AWS } from "./table/aws.ts";
import { BRIDGE } from "./table/bridge.ts";
import { CLOUDFLARE } from "./table/cloudflare.ts";
import { CONSOLE } from "./table/console.ts";
import { EXCHANGE } from "./table/exchange.ts";
import { GRANTS } from "./table/grants.ts";
import { INBOUND } from "./table/inbound.ts";
import { OUTBOUND } from "./table/outbound.ts";
import { POLICIES } from "./table/policies.ts";
import { PROXY } from "./table/proxy.ts";
import { SESSIONS } from "./table/sessions.ts";
import { SQLITE } from "./table/sqlite.ts";
import { TOKEN_SERVICE } from "./table/token-service.ts";

/** Every defect of the table, by area. */
export const EVERY_MUTANT: readonly Mutant[] = [
  ...TOKEN_SERVICE,
  ...GRANTS,
  ...EXCHANGE,
  ...INBOUND,
  ...POLICIES,
  ...SESSIONS,
  ...BRIDGE,
  ...PROXY,
  ...OUTBOUND,
  ...SQLITE,
  ...CLOUDFLARE,
  ...AWS,
  ...CONSOLE,
];
