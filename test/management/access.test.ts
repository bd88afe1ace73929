import { expect, test } from "vitest";
import { OPERATIONS } from "./documented.ts";

/** Written once more, apart from the product: what a mistake in an operation opens, no other test would know. */
const WHO: Readonly<Record<string, string>> = {
  acceptInvitation: "public",
  addKeyPair: "owner",
  addPasskey: "person",
  beginConnectorSignIn: "public",
  beginPasskey: "person",
  beginPasskeySignIn: "public",
  changeApiClient: "owner",
  changeMember: "owner",
  createApiClient: "owner",
  createInvitation: "owner",
  createOrganization: "owner",
  deleteApiClient: "owner",
  deleteConnection: "member",
  endBrowserSession: "person",
  endMcpSession: "owner, sessions:write",
  finishConnectorSignIn: "public",
  listApiClients: "member",
  listAuditEvents: "member, audit:read",
  listAuditCounts: "member, audit:read",
  listBrowserSessions: "person",
  listConnections: "member",
  listIdentities: "person",
  listInvitations: "owner",
  listKeyPairs: "member",
  listMcpSessions: "member, sessions:read",
  listMembers: "member",
  listOrganizations: "person",
  listPasskeys: "person",
  listStops: "member, stops:read",
  placeStop: "owner, stops:write",
  liftStop: "owner, stops:write",
  listVaultKeys: "owner, of the first organization",
  listTools: "member, tools:read",
  listUpstreams: "member, tools:read",
  previewInvitation: "public",
  rewrapConnections: "owner, of the first organization",
  removeMember: "owner",
  removePasskey: "person",
  renameOrganization: "owner",
  replaceGatewaySettings: "owner, of the first organization",
  revokeConsent: "owner",
  revokeInvitation: "owner",
  revokeKeyPair: "owner",
  setUp: "public",
  showApiClient: "member",
  showConsent: "member",
  showGatewaySettings: "member, of the first organization",
  showInstance: "member",
  showMe: "person",
  showOpenApiDocument: "public",
  showOrganization: "member",
  showOverview: "member",
  showSignInWays: "public",
  signInByLink: "public",
  signInByPasskey: "public",
  signOut: "public",
  unlinkIdentity: "person",
};

test("32. each operation is for whom it was decided to be for, and for nobody else", () => {
  const documented = OPERATIONS.map((operation) => {
    const { "x-countersign-role": role, "x-countersign-scope": scope } = operation;
    const first = operation["x-countersign-organization"] === "first" ? "of the first organization" : undefined;
    return [operation.operationId, [role, first, scope].filter((part) => part !== undefined).join(", ")];
  });
  expect(Object.fromEntries(documented)).toEqual(WHO);
});
