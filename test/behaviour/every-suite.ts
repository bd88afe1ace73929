import { wholeRunLog } from "../security/10-whole-run.ts";
import { security } from "../security/token-service.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { accessRequests } from "./access-requests.ts";
import { approvals } from "./approvals.ts";
import { realClients } from "./clients.ts";
import { clientsThatCome } from "./clients-that-come.ts";
import { connections } from "./connections.ts";
import { credentials } from "./credentials.ts";
import { deployment } from "./deployment.ts";
import { discoveryDocuments } from "./discovery.ts";
import { gateway } from "./gateway.ts";
import { health } from "./health.ts";
import { introspectionAndRevocation } from "./introspection.ts";
import { keyPairUse } from "./key-pair-use.ts";
import { limits } from "./limits.ts";
import { managementApi } from "./management.ts";
import { mcpClients } from "./mcp-clients.ts";
import { mcpProxy } from "./mcp-proxy.ts";
import { mcpTransports } from "./mcp-transports.ts";
import { oauthClients } from "./oauth-clients.ts";
import { overrides } from "./overrides.ts";
import { pins } from "./pins.ts";
import { policies } from "./policies.ts";
import { publishing } from "./publishing.ts";
import { refusedBodies } from "./refused-bodies.ts";
import { relyingParties } from "./relying-parties.ts";
import { requestFlow } from "./request-flow.ts";
import { signIn } from "./sign-in.ts";
import { signals } from "./signals.ts";
import { signingKeys } from "./signing-keys.ts";
import { stops } from "./stops.ts";
import { tokenEndpoint } from "./token-endpoint.ts";
import { tokenExchange } from "./token-exchange.ts";
import { webApps } from "./web-apps.ts";

/**
 * What the product does, the same on every runtime.
 *
 * @param connected the runtime for suites that look at how connections end and where redirects lead, where a test harness
 *   stands between client and runtime
 */
export function behaveAsSpecified(started: RuntimeUnderTest, connected: RuntimeUnderTest = started): void {
  const log = wholeRunLog();
  const [runtime, wire] = [log.watch(started), log.watch(connected)];
  discoveryDocuments(runtime);
  tokenEndpoint(runtime);
  introspectionAndRevocation(runtime);
  signingKeys(runtime);
  oauthClients(runtime);
  clientsThatCome(runtime);
  relyingParties(runtime);
  tokenExchange(runtime);
  signIn(runtime);
  managementApi(runtime);
  keyPairUse(runtime);
  gateway(wire);
  policies(wire);
  pins(runtime);
  deployment(runtime);
  publishing(wire);
  credentials(runtime);
  health(wire);
  stops(wire);
  signals(runtime);
  limits(wire);
  overrides(runtime);
  approvals(wire);
  accessRequests(wire);
  refusedBodies(wire);
  mcpTransports(wire);
  realClients(runtime);
  mcpClients(wire);
  mcpProxy(wire);
  webApps(wire);
  connections(wire);
  requestFlow(wire);
  security(runtime);
  log.search();
}
