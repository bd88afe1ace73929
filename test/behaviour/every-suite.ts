import { security } from "../security/token-service.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { realClients } from "./clients.ts";
import { discoveryDocuments } from "./discovery.ts";
import { gateway } from "./gateway.ts";
import { introspectionAndRevocation } from "./introspection.ts";
import { managementApi } from "./management.ts";
import { oauthClients } from "./oauth-clients.ts";
import { tokenEndpoint } from "./token-endpoint.ts";

/** What the product does, the same on every runtime. */
export function behaveAsSpecified(runtime: RuntimeUnderTest): void {
  discoveryDocuments(runtime);
  tokenEndpoint(runtime);
  introspectionAndRevocation(runtime);
  oauthClients(runtime);
  managementApi(runtime);
  gateway(runtime);
  realClients(runtime);
  security(runtime);
}
