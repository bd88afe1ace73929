import { sha256base64url } from "#sha256";
import { createApiClient } from "../../lib/api-clients/administration.ts";
import { addKeyPair } from "../../lib/api-clients/key-pairs.ts";
import { digestOf, openBundle } from "../../lib/deployment/bundle.ts";
import { dropDraft, saveDraft } from "../../lib/deployment/drafts.ts";
import { type Proposal, propose, withdrawProposal } from "../../lib/deployment/proposals.ts";
import { keepPublication, latestRevision } from "../../lib/deployment/records.ts";
import { createInvitation } from "../../lib/directory/invitations.ts";
import { createSignInLink } from "../../lib/directory/sign-in.ts";
import { base64 } from "../../lib/kernel/encoding.ts";
import { approveTool } from "../../lib/pins/decide-pins.ts";
import { createInstancePins } from "../../lib/pins/instance-pins.ts";
import { placeStop } from "../../lib/stops/change-stops.ts";
import type { ApprovalRecord } from "../../lib/stores/approvals.ts";
import { toolVersion } from "../../lib/upstream/catalog/tool-version.ts";
import { approval, approvalEvent } from "../contract/approval-records.ts";
import { consent, consentEvent } from "../contract/grant-records.ts";
import { auditEvent, mcpSession, mcpSessionEvent } from "../contract/records.ts";
import { versioned } from "../deployment/bundles.ts";
import { START } from "../support/in-process.ts";
import { CONNECTOR, LOCKED_SERVER, RECOVERED } from "./instance.ts";
import {
  addedPasskey,
  linkedIdentity,
  newPasskeyBody,
  ownConnection,
  personOf,
  usedPasskeyBody,
} from "./own-records.ts";
import type { World } from "./people.ts";

/** What an operation is called with. */
export interface ExampleCall {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Besides the caller's own. */
  readonly cookie?: string;
  /** Of success, where it is not the first that the document has. */
  readonly status?: number;
}

/** Who calls: what is a person's own has to be this person's. Where no person calls, the owner's id. */
export interface ExampleCaller {
  readonly userId: string;
  /** Headers that tell who calls. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** The management API is an app of the instance. */
export const TOOL = "countersign_listTools";

type Example = (world: World, caller: ExampleCaller) => ExampleCall | Promise<ExampleCall>;

/**
 * A call of each operation that succeeds for whoever may make it, by operation id. What it needs is made anew, in the first
 * organization or as the caller's own: no call takes anything away from another.
 */
export const EXAMPLE_CALLS: Readonly<Record<string, Example>> = {
  showSignInWays: () => ({}),
  setUp: ({ product }) => ({
    body: { token: product.newSetupToken(), organization: "Example", email: RECOVERED },
    status: 200,
  }),
  signInByLink: async ({ product, ownerId }) => {
    const { url } = await createSignInLink(product.dependencies, ownerId, "operator:test");
    return { body: { token: secretOf(url) } };
  },
  beginPasskeySignIn: () => ({}),
  signInByPasskey: (world) => usedPasskeyBody(world),
  beginConnectorSignIn: () => ({ path: { connector: CONNECTOR }, body: { returnTo: "/console/audit-log" } }),
  finishConnectorSignIn: () => ({ query: { state: "unknown", code: "unknown" } }),
  signOut: () => ({}),
  showMe: () => ({}),

  listBrowserSessions: () => ({}),
  endBrowserSession: async ({ cookieOf }, { userId }) => {
    const [, value = ""] = (await cookieOf(userId)).split("=");
    return { path: { sessionId: sha256base64url(value) } };
  },
  beginPasskey: () => ({}),
  addPasskey: (world, caller) => newPasskeyBody(world, caller),
  listPasskeys: async (world, { userId }) => {
    await addedPasskey(world, userId);
    return {};
  },
  removePasskey: async (world, { userId }) => {
    await addedPasskey(world, userId);
    return { path: { passkeyId: await addedPasskey(world, userId) } };
  },
  listIdentities: async (world, { userId }) => {
    await linkedIdentity(world, userId);
    return {};
  },
  unlinkIdentity: async (world, { userId }) => {
    await linkedIdentity(world, userId);
    return { path: { connector: CONNECTOR }, query: { subject: await linkedIdentity(world, userId) } };
  },

  showInstance: () => ({}),
  listOrganizations: () => ({}),
  createOrganization: () => ({ body: { name: "Another" } }),
  showOrganization: ({ organizationId }) => ({ path: { organizationId } }),
  showOverrides: ({ organizationId }) => ({ path: { organizationId } }),
  replaceOverrides: ({ organizationId }) => ({
    path: { organizationId },
    body: { limits: [{ name: "few", rate: "1/s" }] },
  }),
  renameOrganization: ({ organizationId }) => ({ path: { organizationId }, body: { name: "Example" } }),
  deleteOrganization: async ({ newOrganization }) => ({ path: { organizationId: await newOrganization() } }),
  listMembers: () => ({ query: { limit: "2" } }),
  changeMember: async ({ newMember }) => ({ path: { userId: await newMember() }, body: { role: "owner" } }),
  removeMember: async ({ newMember }) => ({ path: { userId: await newMember() } }),

  listInvitations: async (world) => {
    await newInvitationId(world);
    return {};
  },
  createInvitation: () => ({ body: { email: newEmail(), role: "member" } }),
  revokeInvitation: async (world) => ({ path: { invitationId: await newInvitationId(world) } }),
  previewInvitation: async ({ newInvitation }) => ({ body: { token: await newInvitation() } }),
  acceptInvitation: async ({ newInvitation }) => ({ body: { token: await newInvitation() } }),

  listApiClients: () => ({ query: { limit: "2" } }),
  createApiClient: () => ({
    body: { name: "Reporting", scopes: ["audit:read"], resources: ["https://us.example/mcp"] },
  }),
  showApiClient: async (world) => ({ path: { clientId: (await newClient(world)).clientId } }),
  changeApiClient: async (world) => ({
    path: { clientId: (await newClient(world)).clientId },
    body: { description: null, name: "Exporting" },
  }),
  deleteApiClient: async (world) => ({
    path: { clientId: (await newClient(world)).clientId },
    query: { revokeTokens: "true" },
  }),
  listKeyPairs: async (world) => ({ path: { clientId: (await newClient(world)).clientId } }),
  addKeyPair: async (world) => ({ path: { clientId: (await newClient(world)).clientId } }),
  revokeKeyPair: async (world) => ({ path: { ...(await newClient(world)) } }),

  showConsent: async (world) => ({ query: await newConsent(world) }),
  revokeConsent: async (world, { userId }) => ({ query: await newConsent(world, await personOf(world, userId)) }),
  listConnectedAgents: async (world, { userId }) => {
    await newConsent(world, await personOf(world, userId));
    return { query: { limit: "200" } };
  },
  listConnections: async (world, { userId }) => {
    await ownConnection(world, userId);
    return { query: { limit: "200" } };
  },
  deleteConnection: async (world, { userId }) => {
    const { connectionId, person, app } = await ownConnection(world, userId);
    return { path: { connectionId }, query: { person, app } };
  },
  listApprovals: async (world, { userId }) => {
    await waitingApproval(world, userId);
    return {};
  },
  showApproval: async (world, { userId }) => {
    const { approvalId } = await waitingApproval(world, userId);
    return { path: { approvalId } };
  },
  decideApproval: async (world, { userId }) => {
    const { approvalId, digest } = await waitingApproval(world, userId);
    return { path: { approvalId }, body: { decision: "approve", digest } };
  },
  listVaultKeys: () => ({}),
  rewrapConnections: () => ({ query: { limit: "1" } }),
  listAuditEvents: async ({ product, organizationId }) => {
    const everything = { agent: "client_1", user: "user_1", actChain: ["client_2"], app: "notes", tool: "notes_get" };
    const record = { ...everything, reason: "denied", durationMs: 1.5, region: "us", argumentsDigest: "digest" };
    await product.dependencies.stores.auditLog.append(
      auditEvent({ ...record, organizationId, type: "tool.invoked", outcome: "denied", details: { tokenId: "1" } }),
    );
    return { query: { limit: "200" } };
  },

  getAuditEvent: async ({ product, organizationId }) => {
    const event = auditEvent({ organizationId, type: "tool.invoked", names: { client_1: "Reporting" } });
    await product.dependencies.stores.auditLog.append(event);
    return { path: { eventId: event.id } };
  },
  listAuditCounts: () => ({ query: { from: "2026-01-01", to: "2026-12-31" } }),

  showOverview: () => ({}),
  listMcpSessions: async (world) => {
    await newMcpSession(world);
    return {};
  },
  endMcpSession: async (world) => ({ path: { sessionId: await newMcpSession(world) } }),
  listPins: async (world) => {
    await newHeldDigest(world);
    return {};
  },
  showHeldTool: async (world) => ({ path: { app: PINNED.name, digest: await newHeldDigest(world) } }),
  approveTool: async (world) => ({ path: { app: PINNED.name }, body: { digest: await newHeldDigest(world) } }),
  refuseTool: async (world) => ({ path: { app: PINNED.name }, body: { digest: await newHeldDigest(world) } }),
  forgetPins: async (world) => {
    await newHeldDigest(world);
    return { path: { app: PINNED.name }, body: {} };
  },
  fetchDocument: () => ({ body: { url: "https://api.example/openapi.json" } }),
  probeMcpServer: () => ({ body: { url: LOCKED_SERVER, headers: { "x-key": "secret" } } }),
  showDeployment: () => ({}),
  listPublications: async (world) => {
    await newPublication(world);
    return {};
  },
  publishConfiguration: async ({ product }) => ({ body: { bundle: base64((await product.newBundle()).bytes) } }),
  rollBackConfiguration: async (world) => {
    const to = await newPublication(world);
    return { body: { to, revision: to + 1, reason: "It was better before." } };
  },
  showProposal: async (world) => {
    await newProposal(world);
    return {};
  },
  approveProposal: async (world) => ({ body: { digest: (await newProposal(world)).digest } }),
  withdrawProposal: async (world) => {
    await newProposal(world);
    return {};
  },
  showConfigurationDocument: () => ({ query: { tools: "true" } }),
  showDraft: async (world) => {
    await newDraft(world);
    return {};
  },
  saveDraft: async (world) => {
    await withoutDraft(world);
    return { body: { text: "version: next", basedOn: 1 } };
  },
  dropDraft: async (world) => {
    await newDraft(world);
    return {};
  },
  compareRevisions: async (world) => {
    const [from, revision] = [await newPublication(world), await newPublication(world)];
    return { path: { revision: String(revision) }, query: { from: String(from) } };
  },
  listStops: async (world) => {
    await newStopId(world);
    return {};
  },
  placeStop: () => ({ body: { kind: "agent", id: crypto.randomUUID(), state: "ended", reason: "It did harm." } }),
  liftStop: async (world) => ({ path: { stopId: await newStopId(world) }, body: { reason: "It is mended." } }),
  listTools: () => ({}),
  showTool: () => ({ path: { name: TOOL } }),
  tryTool: async (world, { userId }) => {
    await linkedIdentity(world, userId);
    return { path: { name: TOOL }, body: {} };
  },
  explainCall: () => ({ body: { tool: TOOL, claims: { client_id: "an-agent" } } }),
  tryTools: async (world, { userId }) => {
    await linkedIdentity(world, userId);
    return { body: {} };
  },
  listUpstreams: () => ({}),
  showGatewaySettings: () => ({}),
  replaceGatewaySettings: () => ({ body: { serverName: "A gateway", enabled: null } }),
  showOpenApiDocument: () => ({}),
};

function secretOf(link: string): string {
  return new URL(link).hash.replace("#token=", "");
}

function newEmail(): string {
  return `${crypto.randomUUID()}@example.com`;
}

async function newInvitationId({ product, organizationId, ownerId }: World): Promise<string> {
  const actor = { id: ownerId, organizationId, requestId: "request" };
  const { invitation } = await createInvitation(product.dependencies, actor, { email: newEmail(), role: "member" });
  return invitation.invitationId;
}

async function newClient({ product, organizationId }: World): Promise<{ clientId: string; keyPairId: string }> {
  const actor = { id: "operator:test", organizationId };
  const { clientId } = await createApiClient(product.dependencies, actor, { name: "a client" });
  const { keyPair } = await addKeyPair(product.dependencies, actor, { clientId });
  return { clientId, keyPairId: keyPair.keyPairId };
}

/** Of a client that came by itself: the first organization takes care of it. */
async function newConsent({ product }: World, subject?: string): Promise<{ user: string; client: string }> {
  const given = consent({ ...(subject !== undefined && { subject }) });
  await product.dependencies.stores.grants.giveConsent(given, consentEvent(given, "consent.given"));
  return { user: given.subject, client: given.clientId };
}

async function newStopId({ product, organizationId, ownerId }: World): Promise<string> {
  const stop = { kind: "agent", id: crypto.randomUUID(), state: "suspended", reason: "It does harm." };
  const placed = await placeStop(product.dependencies, { id: ownerId, organizationId }, stop);
  return placed.stop?.stopId as string;
}

/** Of the instance's app. */
const PINNED = { name: "countersign", pins: { first: "trust" } } as const;

/** A tool that has changed. */
async function newHeldDigest({ product, organizationId }: World): Promise<string> {
  const ports = { ...product.dependencies, organizationOf: async () => organizationId };
  const pins = createInstancePins(ports);
  const name = crypto.randomUUID();
  const version = (description: string) => toolVersion(name, { name, description, inputSchema: { type: "object" } });
  await pins.listed(PINNED, [toolVersion("first", { name: "first" })], () => undefined);
  await pins.listed(PINNED, [version("before")], () => undefined);
  const actor = { id: "user_1", organizationId };
  await approveTool(ports, actor, PINNED.name, { digest: version("before").digest });
  await pins.listed(PINNED, [version("now")], () => undefined);
  return version("now").digest;
}

/** Of a call that the person's agent wants to make, and that the person approves. */
async function waitingApproval({ product, organizationId }: World, person: string): Promise<ApprovalRecord> {
  const record = approval({ organizationId, person, by: "self", requestedAt: START });
  await product.dependencies.stores.approvals.requestApproval(record, approvalEvent("approval.requested", record));
  return record;
}

async function newMcpSession({ product, organizationId }: World): Promise<string> {
  const session = mcpSession({ organizationId, startedAt: START });
  await product.dependencies.stores.mcpSessions.create(session, mcpSessionEvent(session, "session.started"));
  return session.sessionHash;
}

async function withoutDraft({ product }: World): Promise<void> {
  const { draft } = await product.dependencies.stores.deployments.readDeployment();
  if (draft !== undefined) await dropDraft(product.dependencies, draft.version);
}

async function newDraft(world: World): Promise<void> {
  await withoutDraft(world);
  await saveDraft(world.product.dependencies, "somebody", { text: "version: next" }, undefined);
}

/** Of an owner who is none of the callers, in the place of any that is there. */
async function newProposal(world: World): Promise<Proposal> {
  const { dependencies } = world.product;
  const { deployments } = dependencies.stores;
  const record = await deployments.readDeployment();
  const made = () => auditEvent({ type: "config.proposed" });
  const proposer = {
    ...{ id: await world.newMember("owner"), name: "somebody", prove: async () => undefined },
    events: { published: made, proposed: made, proposalWithdrawn: made },
  };
  if (record.proposal !== undefined) await withdrawProposal(dependencies, proposer, undefined);
  const artifact = JSON.stringify({ ...(await versioned("proposed")), published: undefined });
  return propose(dependencies, proposer, async () => ({
    about: { revision: latestRevision(record) + 1, digest: await digestOf(artifact), artifact },
    options: { mayRestart: false, force: [] },
    pointer: "/artifact",
  }));
}

async function newPublication({ product }: World): Promise<number> {
  const { deployment, stores } = product.dependencies;
  const { revision, bytes } = await product.newBundle();
  const copy = new Uint8Array(bytes);
  const publication = await openBundle(copy, deployment?.settings.keys ?? new Map());
  await keepPublication(stores.deployments, { publication, bytes: copy }, { by: "operator:test", events: [] });
  return revision;
}
