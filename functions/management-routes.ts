import type { Hono } from "hono";
import type { Dependencies } from "../lib/application/dependencies.ts";
import type { Operation } from "../lib/management/operations/operation.ts";
import { CONNECTOR_CALLBACK } from "../lib/management/operations/sign-in.ts";
import { OPERATIONS_BY_TAG } from "../lib/management/operations.ts";
import type { Env } from "./env.ts";
import { ACCOUNT_ENDPOINTS } from "./management/account.ts";
import { API_CLIENT_ENDPOINTS } from "./management/api-clients.ts";
import { APPROVAL_ENDPOINTS } from "./management/approvals.ts";
import { AUDIT_EVENT_ENDPOINTS } from "./management/audit-events.ts";
import { CONNECTION_ENDPOINTS } from "./management/connections.ts";
import { CONSENT_ENDPOINTS } from "./management/consents.ts";
import { DEPLOYMENT_ENDPOINTS } from "./management/deployment.ts";
import { DOCUMENT_ENDPOINTS } from "./management/document.ts";
import { GATEWAY_ENDPOINTS } from "./management/gateway.ts";
import { INVITATION_ENDPOINTS } from "./management/invitations.ts";
import { KEY_PAIR_ENDPOINTS } from "./management/key-pairs.ts";
import { MEMBER_ENDPOINTS } from "./management/members.ts";
import { ORGANIZATION_ENDPOINTS } from "./management/organizations.ts";
import { PIN_ENDPOINTS } from "./management/pins.ts";
import { SIGN_IN_ENDPOINTS } from "./management/sign-in.ts";
import { STOP_ENDPOINTS } from "./management/stops.ts";
import { forBrowsers } from "./middleware/browser.ts";
import { limitManagement } from "./middleware/limits.ts";
import { type ManagedInstance, type ManagementEndpoint, managed } from "./middleware/management-endpoint.ts";

const ENDPOINTS: Readonly<Record<string, ManagementEndpoint<never>>> = {
  ...SIGN_IN_ENDPOINTS,
  ...ACCOUNT_ENDPOINTS,
  ...ORGANIZATION_ENDPOINTS,
  ...MEMBER_ENDPOINTS,
  ...INVITATION_ENDPOINTS,
  ...API_CLIENT_ENDPOINTS,
  ...KEY_PAIR_ENDPOINTS,
  ...CONSENT_ENDPOINTS,
  ...CONNECTION_ENDPOINTS,
  ...APPROVAL_ENDPOINTS,
  ...AUDIT_EVENT_ENDPOINTS,
  ...GATEWAY_ENDPOINTS,
  ...DEPLOYMENT_ENDPOINTS,
  ...PIN_ENDPOINTS,
  ...STOP_ENDPOINTS,
  ...DOCUMENT_ENDPOINTS,
};

/** Every operation of the management API, at its path and for whom it admits. */
export function mountManagement(app: Hono<Env>, instance: ManagedInstance, dependencies: Dependencies): void {
  if (!instance.configuration.console.enabled) return;
  app.use("/api/v1/*", limitManagement(instance.limits, dependencies.clock));
  app.use(CONNECTOR_CALLBACK, forBrowsers(["GET"]));
  for (const operation of Object.values(OPERATIONS_BY_TAG).flat().toSorted(byMethod)) {
    const endpoint = ENDPOINTS[operation.operationId];
    if (endpoint === undefined) throw new Error(`The operation ${operation.operationId} has no endpoint.`);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(operation.method.toUpperCase(), path, managed(operation, endpoint, dependencies, instance));
  }
}

/** The order in which `Allow` names the methods of a path. */
const METHODS: readonly Operation["method"][] = ["get", "post", "put", "patch", "delete"];

function byMethod(one: Operation, other: Operation): number {
  return METHODS.indexOf(one.method) - METHODS.indexOf(other.method);
}
