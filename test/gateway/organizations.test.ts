import { describe, expect, test } from "vitest";
import { createApiClient } from "../../lib/api-clients/administration.ts";
import { addKeyPair } from "../../lib/api-clients/key-pairs.ts";

import { createMemberships } from "../../lib/gateway/memberships.ts";
import { isJsonObject } from "../../lib/kernel/json.ts";
import { liftStop, placeStop } from "../../lib/stops/change-stops.ts";
import { beginDeletion, completeDeletion } from "../../lib/stops/organization-deletion.ts";
import { type IdentityKey, personId } from "../../lib/stores/identities.ts";
import { type Signer, tokenParameters } from "../behaviour/fixture.ts";
import { joined, memberEvent, organization } from "../contract/member-records.ts";
import { apiClient, auditEvent } from "../contract/records.ts";
import { assertionNow, sendForm, signerOf } from "../security/in-process-client.ts";
import { NO_REGISTRATION } from "../support/configuration.ts";
import { type Calls, counted } from "../support/counted.ts";
import { PROVIDER } from "../support/in-process.ts";
import { CORP } from "../support/oauth-apps.ts";
import { RESOURCE, trusted } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const OTHER = "org_other";
const OWN_SERVER = trusted(PROVIDER.endpoints.wellKnown, {
  method: "introspection",
  introspection: { clientID: "unused", clientSecret: "unused", timeout: 1_000, maxRetries: 0 },
});
const it = withGateway({ otherApps: [{ name: "theirs", organization: OTHER }] });
const ownServers = () => it.restart({ servers: [OWN_SERVER, trusted(it.server.wellKnown)] });

async function ownToken(organizationId: string): Promise<string> {
  const actor = { id: "operator:test", organizationId };
  const fields = { name: "agent", scopes: ["notes:read"], resources: [RESOURCE] };
  const { clientId } = await createApiClient(it.gateway.dependencies, actor, fields);
  const body = await issued(await signing(clientId, organizationId));
  if (!isJsonObject(body) || typeof body.access_token !== "string")
    throw new Error(`no token: ${JSON.stringify(body)}`);
  return body.access_token;
}

async function signing(clientId: string, organizationId: string): Promise<Signer> {
  const actor = { id: "operator:test", organizationId };
  const { keyPair, privateKeyPem = "" } = await addKeyPair(it.gateway.dependencies, actor, { clientId });
  return signerOf({ clientId, organizationId, keyPairId: keyPair.keyPairId, privateKeyPem });
}

async function issued(signer: Signer): Promise<unknown> {
  const parameters = tokenParameters(await assertionNow(it.gateway, signer), { resource: RESOURCE });
  return (await sendForm(it.gateway, "/oauth2/token", parameters)).body;
}

async function first(): Promise<string> {
  return (await it.gateway.dependencies.stores.directory.firstOrganization())?.organizationId ?? "none";
}

async function post(method: string, params: unknown, token: string): Promise<string> {
  const response = await it.gateway.send("/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  expect(response.status).toBe(200);
  return response.text();
}

const listed = async (token: string) => {
  const text = await post("tools/list", {}, token);
  return { ours: text.includes('"name":"getNote"'), theirs: text.includes('"name":"theirs_getNote"') };
};
const called = (name: string, token: string) => post("tools/call", { name, arguments: { noteId: "1" } }, token);
const UNKNOWN = "There is no tool of this name.";

describe("52. an owner who is not of the first organization", () => {
  const eve = { id: "user_eve", organizationId: OTHER };
  const reason = "It does harm.";

  test.each(["upstream", "origin"])("stops the %s of their own app, and no other app there", async (what) => {
    await ownServers();
    const [ours, theirs] = [await ownToken(await first()), await ownToken(OTHER)];
    const id = what === "origin" ? new URL(it.upstream.url).origin : it.upstream.url;
    const { dependencies } = it.gateway;
    const { stop } = await placeStop(dependencies, eve, { kind: "upstream", id, state: "suspended", reason });
    expect(await called("theirs_getNote", theirs)).toContain("An administrator has stopped this.");
    expect(await called("getNote", ours)).toContain("Hello.");
    expect(await listed(ours)).toEqual({ ours: true, theirs: false });
    await liftStop(dependencies, eve, stop?.stopId ?? "", { reason });
  });

  test("names nobody of another server: such tokens are of no organization", async () => {
    const stop = { kind: "person", id: "ada", issuer: "https://idp.example", state: "suspended", reason };
    await expect(placeStop(it.gateway.dependencies, eve, stop)).rejects.toMatchObject({
      fields: [{ pointer: "/issuer" }],
    });
  });
});

describe("D32. the tools of another organization", () => {
  test("are neither listed nor callable for an agent of the first", async () => {
    await ownServers();
    const token = await ownToken(await first());
    expect(await listed(token)).toEqual({ ours: true, theirs: false });
    expect(await called("getNote", token)).toContain("Hello.");
    const before = it.upstream.requests.length;
    expect(await called("theirs_getNote", token)).toBe(await called("no_such", token));
    expect(await called("theirs_getNote", token)).toContain(UNKNOWN);
    expect(it.upstream.requests).toHaveLength(before);
  });

  test("are its own agents' only tools", async () => {
    await ownServers();
    const token = await ownToken(OTHER);
    expect(await listed(token)).toEqual({ ours: false, theirs: true });
    expect(await called("theirs_getNote", token)).toContain("Hello.");
    expect(await called("getNote", token)).toContain(UNKNOWN);
    const { items } = await it.gateway.dependencies.stores.auditLog.query(
      { organizationId: OTHER, type: "tool.invoked" },
      { limit: 10 },
    );
    expect(items).toMatchObject([{ tool: "theirs_getNote", outcome: "success", details: { issuer: PROVIDER.issuer } }]);
  });

  test("do not show in a refusal for want of a scope", async () => {
    await it.restart({ inboundTools: [{ name: "getNote", scopes: ["notes:secret"] }] });
    const token = await it.server.sign({ aud: RESOURCE, scope: "notes:read" });
    expect(await it.statusOf(token)).toBe(403);
    expect(await called("theirs_getNote", token)).toContain(UNKNOWN);
  });

  test("are out of reach for tokens of other issuers, whatever organization these name", async () => {
    const names = { organizationId: OTHER, organization: OTHER, org_id: OTHER };
    const token = await it.server.sign({ aud: RESOURCE, scope: "notes:read", ...names });
    expect(await listed(token)).toEqual({ ours: true, theirs: false });
    expect(await called("getNote", token)).toContain("Hello.");
    expect(await called("theirs_getNote", token)).toContain(UNKNOWN);
  });
});

describe("47. a name that is hidden from the caller and one that nobody has", () => {
  const NAMES = ["theirs_getNote", "invited_getNote", "no_such"] as const;
  const otherApps = [
    { name: "theirs", organization: OTHER },
    { name: "invited", members: "required" },
  ] as const;

  test("use up the same number of denied calls", async () => {
    await it.restart({ otherApps });
    for (const name of NAMES) {
      const token = await it.server.sign({ aud: RESOURCE, sub: name, scope: "notes:read" });
      for (let sent = 0; sent < 1_000; sent += 50)
        await Promise.all(Array.from({ length: 50 }, () => called(name, token)));
      expect((await it.gateway.call(name, {}, token)).status).toBe(429);
    }
  });

  test("have the same answer while nothing can be recorded", async () => {
    const full = () => Promise.reject(new Error("the disk is full"));
    await it.restart({
      otherApps,
      adapt: ({ stores, ...rest }) => ({
        ...rest,
        stores: { ...stores, auditLog: { ...stores.auditLog, append: full, begin: full } },
      }),
    });
    const token = await it.server.sign({ aud: RESOURCE, sub: "stranger", scope: "notes:read" });
    for (const name of NAMES) expect(await called(name, token)).toContain(UNKNOWN);
  });
});

test("86. an app of an organization that was deleted serves nobody, is not listed, and says so", async () => {
  await it.restart({ otherApps: [{ name: "theirs", organization: OTHER, isShared: true }] });
  const agent = await it.server.sign({ aud: RESOURCE, sub: "agent", client_id: "agent", scope: "notes:read" });
  expect(await called("theirs_getNote", agent)).toContain("Hello.");
  const before = it.upstream.requests.length;
  const event = auditEvent({ type: "organization.deleted", organizationId: OTHER });
  await beginDeletion(it.gateway.dependencies, { id: "user_1", organizationId: OTHER }, event);
  expect(await called("theirs_getNote", agent)).toContain("was deleted");
  expect(await post("tools/list", {}, agent)).not.toContain("theirs_getNote");
  expect(await called("getNote", agent)).toContain("Hello.");
  expect(it.upstream.requests).toHaveLength(before + 1);
  await completeDeletion(it.gateway.dependencies, { id: "user_1", organizationId: OTHER }, { event, isNamed: false });
  expect(await called("theirs_getNote", agent)).toContain("was deleted");
});

describe("47. people who belong to no organization", () => {
  /** A token of somebody who linked the account to a person of this instance. */
  const tokenOf = async (userId: string, sub: string = crypto.randomUUID()) => {
    const { identities } = it.gateway.dependencies.stores;
    const identity = { issuer: it.server.issuer, subject: sub, userId, connector: "corp", createdAt: 0 };
    expect(await identities.linkIdentity(identity, auditEvent({ type: "identity.linked" }))).toBe(true);
    return it.server.sign({ aud: RESOURCE, sub, scope: "notes:read" });
  };

  const APPS = [
    { name: "invited", members: "required" },
    { name: "anybody", members: "any" },
  ] as const;

  test("see and call no tool of an app that requires members, and others as before", async () => {
    await it.restart({ otherApps: APPS });
    const stranger = await it.server.sign({ aud: RESOURCE, sub: "stranger", scope: "notes:read" });
    const before = it.upstream.requests.length;
    const text = await post("tools/list", {}, stranger);
    expect([text.includes("invited_getNote"), text.includes("anybody_getNote")]).toEqual([false, true]);
    expect(await called("invited_getNote", stranger)).toContain(UNKNOWN);
    expect(it.upstream.requests).toHaveLength(before);
    expect(await called("anybody_getNote", stranger)).toContain("Hello.");
    const { items } = await it.gateway.dependencies.stores.auditLog.query(
      { organizationId: await first(), type: "tool.invoked" },
      { limit: 10 },
    );
    expect(items.find(({ tool }) => tool === "invited_getNote")).toMatchObject({
      outcome: "denied",
      reason: "not_a_member",
    });
    // An agent that acts for itself is no person.
    const agent = await it.server.sign({ aud: RESOURCE, sub: "agent", client_id: "agent", scope: "notes:read" });
    expect(await called("invited_getNote", agent)).toContain("Hello.");
  });

  test.each([{}, { sub: "" }, { sub: 7 }])(
    "are not agents that act for themselves by a token of %j",
    async (subject) => {
      await it.restart({ otherApps: APPS });
      const token = await it.server.sign({ aud: RESOURCE, scope: "notes:read", ...subject });
      expect(await called("invited_getNote", token)).toContain(UNKNOWN);
      expect(await called("anybody_getNote", token)).toContain("Hello.");
    },
  );

  test("are required by default where clients come with metadata documents that people sign in with", async () => {
    const connectors = [{ ...CORP, wellKnownURL: it.server.wellKnown }];
    const clientIDMetadata = { ...NO_REGISTRATION, clientIDMetadata: true, connectors: [CORP.name] };
    for (const [registration, answer] of [
      [clientIDMetadata, UNKNOWN],
      [{ ...clientIDMetadata, connectors: [] }, "Hello."],
    ] as const) {
      await it.restart({ connectors, provider: { ...PROVIDER, registration } });
      const stranger = await it.server.sign({ aud: RESOURCE, sub: "stranger", scope: "notes:read" });
      expect(await called("getNote", stranger)).toContain(answer);
    }
  });

  test("are members as soon as they are, and none as soon as they are removed", async () => {
    await it.restart({ otherApps: APPS });
    const { stores, clock } = { ...it.gateway.dependencies, clock: it.gateway.clock };
    const organizationId = await first();
    const member = await joined(stores, organizationId);
    const token = await tokenOf(member.userId);
    expect(await called("invited_getNote", token)).toContain("Hello.");
    const removed = memberEvent("member.removed", organizationId);
    expect(await stores.members.removeMember({ organizationId, userId: member.userId }, removed)).toBe("done");
    clock.set(clock.now() + 2_000);
    expect(await called("invited_getNote", token)).toContain(UNKNOWN);
  });

  test("are none as soon as they unlink the account that they signed in with", async () => {
    const { stores } = it.gateway.dependencies;
    const organizationId = await first();
    const { userId } = await joined(stores, organizationId);
    const account = (subject: string) => ({ issuer: "https://corp.example", subject, userId, connector: "corp" });
    const [stolen, kept] = [account("stolen"), account("kept")];
    for (const identity of [stolen, kept])
      await stores.identities.linkIdentity({ ...identity, createdAt: 0 }, auditEvent({ type: "identity.linked" }));
    const { clock } = it.gateway;
    const memberships = createMemberships({ ...it.gateway.dependencies, clock });
    const signedInWith = ({ issuer, subject }: IdentityKey) => {
      const user = { sub: personId({ issuer, subject }) };
      const agent = { clientID: "agent" };
      return { user, agent, issuer: PROVIDER.issuer, memberId: userId, scopes: [], actChain: [], expiresAt: 0 };
    };
    const members = async () =>
      Promise.all([stolen, kept].map((key) => memberships.isMember(signedInWith(key), organizationId)));
    expect(await members()).toEqual([true, true]);
    await stores.identities.unlinkIdentity(userId, stolen, auditEvent({ type: "identity.unlinked" }));
    clock.set(clock.now() + 2_000);
    expect(await members()).toEqual([false, true]);
  });

  test("need no membership by default until there is another organization", async () => {
    const { stores } = it.gateway.dependencies;
    const stranger = await it.server.sign({ aud: RESOURCE, sub: "stranger", scope: "notes:read" });
    expect(await called("getNote", stranger)).toContain("Hello.");
    const owner = await joined(stores, await first(), "owner");
    const made = organization();
    await stores.members.createOrganization(
      made,
      owner.userId,
      memberEvent("organization.created", made.organizationId),
    );
    it.gateway.clock.set(it.gateway.clock.now() + 2_000);
    expect(await called("getNote", stranger)).toContain(UNKNOWN);
    expect(await called("getNote", await tokenOf(owner.userId))).toContain("Hello.");
  });
});

describe("47. what belongs to the apps of another organization", () => {
  const outbound = {
    type: "tokenExchange",
    mode: "delegation",
    idp: "oidcProvider",
    clientID: "gateway",
    audience: "https://theirs.example/",
    tools: [],
  } as const;
  const inboundTools = [{ name: "/.*/", scopes: ["theirs:read"] }];
  const granted = async (fields: object) => {
    const { dependencies } = it.gateway;
    const actor = { id: "operator:test", organizationId: await first() };
    return createApiClient(dependencies, actor, { name: "agent", ...fields }).then(
      () => "granted",
      (error: { fields: readonly { pointer: string }[] }) => error.fields.map(({ pointer }) => pointer).join(),
    );
  };

  test("can be granted to that organization's API clients alone, unless the app is shared", async () => {
    const theirs = { name: "theirs", organization: OTHER, outbound, inboundTools };
    await it.restart({ otherApps: [theirs] });
    expect(await granted({ scopes: ["theirs:read"] })).toBe("/scopes/0");
    expect(await granted({ resources: [RESOURCE, outbound.audience] })).toBe("/resources/1");
    expect(await granted({ scopes: ["notes:read"], resources: [RESOURCE] })).toBe("granted");
    await it.restart({ otherApps: [{ ...theirs, isShared: true }] });
    expect(await granted({ scopes: ["theirs:read"], resources: [outbound.audience] })).toBe("granted");
  });

  test("is granted no longer where the grant is older than the app; whose apps those are is read once", async () => {
    const calls: Calls = { names: [] };
    await it.restart({
      otherApps: [{ name: "theirs", organization: OTHER, inboundTools: [] }],
      adapt: (dependencies) => counted(dependencies, calls),
    });
    const { stores, clientIds, random } = it.gateway.dependencies;
    const record = apiClient({
      clientId: clientIds.create(random),
      keyPairs: [],
      organizationId: OTHER,
      scopes: ["notes:read", "other:read"],
      resources: [RESOURCE],
    });
    await stores.apiClients.create(record, auditEvent({ type: "api_client.created" }));
    const signer = await signing(record.clientId, OTHER);
    calls.names.length = 0;
    for (let i = 0; i < 3; i++) expect(await issued(signer)).toMatchObject({ scope: "other:read" });
    expect(calls.names.filter((name) => name === "directory.firstOrganization")).toHaveLength(1);
  });

  test("is the scopes that the API behind it checks, too", async () => {
    const checked = [{ name: "/.*/", ttl: 60_000, scopes: ["behind:read"] }];
    await it.restart({
      otherApps: [{ name: "theirs", organization: OTHER, outbound: { ...outbound, tools: checked } }],
    });
    expect(await granted({ scopes: ["behind:read"] })).toBe("/scopes/0");
  });

  test("is seen by agents of all where the app is shared", async () => {
    await it.restart({ otherApps: [{ name: "theirs", organization: OTHER, isShared: true }], servers: [OWN_SERVER] });
    for (const organizationId of [await first(), "org_third"])
      expect((await listed(await ownToken(organizationId))).theirs).toBe(true);
  });
});
