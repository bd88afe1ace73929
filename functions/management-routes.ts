import type { Hono } from "hono";
import type { Connector } from "../lib/connectors/connectors.ts";
import type { Dependencies } from "../lib/dependencies.ts";
import type { Instance } from "../lib/health/instance.ts";
import type { Env } from "./env.ts";
import {
  createApiClient,
  deleteApiClient,
  listApiClients,
  showApiClient,
  updateApiClient,
} from "./management/api-clients.ts";
import { listAuditEvents } from "./management/audit-events.ts";
import { endBrowserSession, listBrowserSessions } from "./management/browser-sessions.ts";
import { beginConnectorSignIn, connectorSignInCallback } from "./management/connector-sign-in.ts";
import { deleteConsent, showConsent } from "./management/consents.ts";
import { replaceGatewaySettings, showGatewaySettings } from "./management/gateway-settings.ts";
import { listIdentities, unlinkIdentity } from "./management/identities.ts";
import { showInstance } from "./management/instance.ts";
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  previewInvitation,
  revokeInvitation,
} from "./management/invitations.ts";
import { addKeyPair, listKeyPairs, revokeKeyPair } from "./management/key-pairs.ts";
import { endMcpSession, listMcpSessions } from "./management/mcp-sessions.ts";
import { me } from "./management/me.ts";
import { changeMember, listMembers, removeMember } from "./management/members.ts";
import { showDocument } from "./management/openapi.ts";
import {
  createOrganization,
  listOrganizations,
  renameOrganization,
  showOrganization,
} from "./management/organizations.ts";
import { showOverview } from "./management/overview.ts";
import { beginPasskeySignIn, signInByPasskey } from "./management/passkey-sign-in.ts";
import { addPasskey, beginPasskey, deletePasskey, listPasskeys } from "./management/passkeys.ts";
import { setup } from "./management/setup.ts";
import { signInByLink, signOut } from "./management/sign-in.ts";
import { showSignInWays } from "./management/sign-in-options.ts";
import { listTools } from "./management/tools.ts";
import { listUpstreams } from "./management/upstreams.ts";
import { forBrowsers } from "./middleware/browser.ts";

/** Every path of the management API. */
export function mountManagement(
  app: Hono<Env>,
  {
    configuration,
    connectors,
    gateway,
    health: check,
  }: Pick<Instance, "configuration" | "connectors" | "gateway" | "health">,
  dependencies: Dependencies,
): void {
  if (!configuration.console.enabled) return;
  app.get("/api/v1/openapi.json", showDocument(dependencies));
  mountSignIn(app, connectors, dependencies);
  mountOrganizations(app, dependencies);
  app.get("/api/v1/api-clients", listApiClients(dependencies));
  app.post("/api/v1/api-clients", createApiClient(dependencies));
  app.get("/api/v1/api-clients/:clientId", showApiClient(dependencies));
  app.patch("/api/v1/api-clients/:clientId", updateApiClient(dependencies));
  app.delete("/api/v1/api-clients/:clientId", deleteApiClient(dependencies));
  app.get("/api/v1/api-clients/:clientId/key-pairs", listKeyPairs(dependencies));
  app.post("/api/v1/api-clients/:clientId/key-pairs", addKeyPair(dependencies));
  app.post("/api/v1/api-clients/:clientId/key-pairs/:keyPairId/revoke", revokeKeyPair(dependencies));
  app.get("/api/v1/consents", showConsent(dependencies));
  app.delete("/api/v1/consents", deleteConsent(dependencies));
  app.get("/api/v1/audit-events", listAuditEvents(dependencies));
  app.get("/api/v1/mcp-sessions", listMcpSessions(dependencies));
  app.delete("/api/v1/mcp-sessions/:sessionId", endMcpSession(dependencies));
  app.get("/api/v1/tools", listTools(dependencies));
  app.get("/api/v1/gateway-settings", showGatewaySettings(dependencies));
  app.put("/api/v1/gateway-settings", replaceGatewaySettings(dependencies));
  app.get("/api/v1/upstreams", listUpstreams(dependencies, gateway));
  app.get("/api/v1/overview", showOverview(dependencies, check));
}

/** How people come in, and with what. */
function mountSignIn(app: Hono<Env>, connectors: readonly Connector[], dependencies: Dependencies): void {
  app.get("/api/v1/sign-in", showSignInWays(dependencies));
  app.post("/api/v1/setup", setup(dependencies));
  app.post("/api/v1/sign-in/link", signInByLink(dependencies));
  app.post("/api/v1/sign-in/passkey/options", beginPasskeySignIn(dependencies));
  app.post("/api/v1/sign-in/passkey/verify", signInByPasskey(dependencies));
  app.use(CONNECTOR_CALLBACK, forBrowsers(["GET"]));
  app.get(CONNECTOR_CALLBACK, connectorSignInCallback(dependencies, connectors));
  app.post("/api/v1/sign-in/oidc/:connector", beginConnectorSignIn(dependencies, connectors));
  app.post("/api/v1/sign-out", signOut(dependencies));
  app.get("/api/v1/me", me(dependencies));
  app.get("/api/v1/passkeys", listPasskeys(dependencies));
  app.post("/api/v1/passkeys", addPasskey(dependencies));
  app.post("/api/v1/passkeys/options", beginPasskey(dependencies));
  app.delete("/api/v1/passkeys/:passkeyId", deletePasskey(dependencies));
  app.get("/api/v1/identities", listIdentities(dependencies));
  app.delete("/api/v1/identities/:connector", unlinkIdentity(dependencies));
}

const CONNECTOR_CALLBACK = "/api/v1/sign-in/oidc/callback";

/** Organizations, who belongs to them, and where those people are signed in. */
function mountOrganizations(app: Hono<Env>, dependencies: Dependencies): void {
  app.get("/api/v1/instance", showInstance(dependencies));
  app.get("/api/v1/organizations", listOrganizations(dependencies));
  app.post("/api/v1/organizations", createOrganization(dependencies));
  app.get("/api/v1/organizations/:organizationId", showOrganization(dependencies));
  app.patch("/api/v1/organizations/:organizationId", renameOrganization(dependencies));
  app.get("/api/v1/members", listMembers(dependencies));
  app.patch("/api/v1/members/:userId", changeMember(dependencies));
  app.delete("/api/v1/members/:userId", removeMember(dependencies));
  app.get("/api/v1/invitations", listInvitations(dependencies));
  app.post("/api/v1/invitations", createInvitation(dependencies));
  app.post("/api/v1/invitations/preview", previewInvitation(dependencies));
  app.post("/api/v1/invitations/accept", acceptInvitation(dependencies));
  app.delete("/api/v1/invitations/:invitationId", revokeInvitation(dependencies));
  app.get("/api/v1/browser-sessions", listBrowserSessions(dependencies));
  app.delete("/api/v1/browser-sessions/:sessionId", endBrowserSession(dependencies));
}
