import { ACCOUNT_DOCUMENTATION } from "./documentation/account.ts";
import { API_CLIENT_DOCUMENTATION } from "./documentation/api-clients.ts";
import { APPROVAL_DOCUMENTATION } from "./documentation/approvals.ts";
import { AUDIT_EVENT_DOCUMENTATION } from "./documentation/audit-events.ts";
import { CONNECTION_DOCUMENTATION } from "./documentation/connections.ts";
import { CONSENT_DOCUMENTATION } from "./documentation/consents.ts";
import { DEPLOYMENT_DOCUMENTATION } from "./documentation/deployment.ts";
import { DOCUMENT_DOCUMENTATION } from "./documentation/document.ts";
import type { OperationDocumentation } from "./documentation/documentation.ts";
import { GATEWAY_DOCUMENTATION } from "./documentation/gateway.ts";
import { INVITATION_DOCUMENTATION } from "./documentation/invitations.ts";
import { KEY_PAIR_DOCUMENTATION } from "./documentation/key-pairs.ts";
import { MEMBER_DOCUMENTATION } from "./documentation/members.ts";
import { ORGANIZATION_DOCUMENTATION } from "./documentation/organizations.ts";
import { PIN_DOCUMENTATION } from "./documentation/pins.ts";
import { SIGN_IN_DOCUMENTATION } from "./documentation/sign-in.ts";
import { STOP_DOCUMENTATION } from "./documentation/stops.ts";

/** What the OpenAPI document says of each operation, by its id. */
export const DOCUMENTATION: Readonly<Record<string, OperationDocumentation>> = {
  ...SIGN_IN_DOCUMENTATION,
  ...ACCOUNT_DOCUMENTATION,
  ...ORGANIZATION_DOCUMENTATION,
  ...MEMBER_DOCUMENTATION,
  ...INVITATION_DOCUMENTATION,
  ...API_CLIENT_DOCUMENTATION,
  ...KEY_PAIR_DOCUMENTATION,
  ...CONSENT_DOCUMENTATION,
  ...CONNECTION_DOCUMENTATION,
  ...APPROVAL_DOCUMENTATION,
  ...AUDIT_EVENT_DOCUMENTATION,
  ...GATEWAY_DOCUMENTATION,
  ...DEPLOYMENT_DOCUMENTATION,
  ...PIN_DOCUMENTATION,
  ...STOP_DOCUMENTATION,
  ...DOCUMENT_DOCUMENTATION,
};
