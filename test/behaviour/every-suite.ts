import { wholeRunLog } from "../security/10-whole-run.ts";
import { security } from "../security/token-service.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { accessRequests } from "./access-requests.ts";
import { alerts } from "./alerts.ts";
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
import { mailedInvitations } from "./mailed-invitations.ts";
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

/** The runtime, and the one for suites that look at how connections end and where redirects lead. */
type Suite = (runtime: RuntimeUnderTest, wire: RuntimeUnderTest) => void;

/** What the product does. Each part is a file of each runtime, of about the same length, so that they run side by side. */
const PARTS = {
  tokens: (runtime) => {
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
    mailedInvitations(runtime);
    keyPairUse(runtime);
    overrides(runtime);
    signals(runtime);
    security(runtime);
  },
  gateway: (runtime, wire) => {
    gateway(wire);
    policies(wire);
    pins(runtime);
    deployment(runtime);
    publishing(wire);
    credentials(runtime);
    health(wire);
    stops(wire);
    alerts(wire);
    limits(wire);
    approvals(wire);
    accessRequests(wire);
    refusedBodies(wire);
  },
  mcp: (runtime, wire) => {
    mcpTransports(wire);
    realClients(runtime);
    mcpClients(wire);
  },
  people: (_, wire) => {
    mcpProxy(wire);
    webApps(wire);
    connections(wire);
    requestFlow(wire);
  },
} satisfies Readonly<Record<string, Suite>>;

/**
 * What the product does, the same on every runtime.
 *
 * @param connected the runtime for suites that look at how connections end and where redirects lead, where a test harness
 *   stands between client and runtime
 */
export function behaveAsSpecified(
  part: keyof typeof PARTS,
  started: RuntimeUnderTest,
  connected: RuntimeUnderTest = started,
): void {
  const log = wholeRunLog();
  PARTS[part](log.watch(started), log.watch(connected));
  log.search();
}
