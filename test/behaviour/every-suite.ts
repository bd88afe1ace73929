import { security } from "../security/token-service.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { realClients } from "./clients.ts";
import { discoveryDocuments } from "./discovery.ts";
import { gateway } from "./gateway.ts";
import { introspectionAndRevocation } from "./introspection.ts";
import { managementApi } from "./management.ts";
import { oauthClients } from "./oauth-clients.ts";
import { tokenEndpoint } from "./token-endpoint.ts";

/**
 * What the product does, the same on every runtime.
 *
 * @param wire the runtime for suites that look at how connections end and where redirects lead, where a test harness
 *   stands between client and runtime
 */
export function behaveAsSpecified(runtime: RuntimeUnderTest, wire: RuntimeUnderTest = runtime): void {
  discoveryDocuments(runtime);
  tokenEndpoint(runtime);
  introspectionAndRevocation(runtime);
  oauthClients(runtime);
  managementApi(runtime);
  gateway(wire);
  realClients(runtime);
  security(runtime);
}
