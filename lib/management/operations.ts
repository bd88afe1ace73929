import { ACCOUNT_OPERATIONS } from "./operations/account.ts";
import { API_CLIENT_OPERATIONS } from "./operations/api-clients.ts";
import { APPROVAL_OPERATIONS } from "./operations/approvals.ts";
import { AUDIT_EVENT_OPERATIONS } from "./operations/audit-events.ts";
import { CONNECTION_OPERATIONS } from "./operations/connections.ts";
import { CONSENT_OPERATIONS } from "./operations/consents.ts";
import { DEPLOYMENT_OPERATIONS } from "./operations/deployment.ts";
import { DOCUMENT_OPERATIONS } from "./operations/document.ts";
import { GATEWAY_OPERATIONS } from "./operations/gateway.ts";
import { INVITATION_OPERATIONS } from "./operations/invitations.ts";
import { KEY_PAIR_OPERATIONS } from "./operations/key-pairs.ts";
import { MEMBER_OPERATIONS } from "./operations/members.ts";
import type { Operation } from "./operations/operation.ts";
import { ORGANIZATION_OPERATIONS } from "./operations/organizations.ts";
import { PIN_OPERATIONS } from "./operations/pins.ts";
import { SIGN_IN_OPERATIONS } from "./operations/sign-in.ts";
import { STOP_OPERATIONS } from "./operations/stops.ts";

/** Operations that belong together, under what the document calls them. */
export const OPERATIONS_BY_TAG: Readonly<Record<string, readonly Operation[]>> = {
  "Signing in": SIGN_IN_OPERATIONS,
  Account: ACCOUNT_OPERATIONS,
  Organizations: ORGANIZATION_OPERATIONS,
  Members: MEMBER_OPERATIONS,
  Invitations: INVITATION_OPERATIONS,
  "API clients": API_CLIENT_OPERATIONS,
  "Key pairs": KEY_PAIR_OPERATIONS,
  Consents: CONSENT_OPERATIONS,
  Connections: CONNECTION_OPERATIONS,
  Approvals: APPROVAL_OPERATIONS,
  "Audit log": AUDIT_EVENT_OPERATIONS,
  Gateway: GATEWAY_OPERATIONS,
  Deployment: DEPLOYMENT_OPERATIONS,
  Pins: PIN_OPERATIONS,
  "The switch": STOP_OPERATIONS,
  "This document": DOCUMENT_OPERATIONS,
};
