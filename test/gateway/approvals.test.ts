import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ApprovalConfiguration, McpBridgeAppConfiguration } from "../../lib/config/app-configuration.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { redeemInvitation } from "../../lib/directory/accept-invitation.ts";
import { startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { createInvitation } from "../../lib/directory/invitations.ts";
import { newUserId } from "../../lib/directory/person.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import type { Role, SignInMethod } from "../../lib/stores/directory.ts";
import { type RpcAnswer, rpc, textOf } from "../behaviour/gateway-fixture.ts";
import { readEvents } from "../behaviour/mcp/events.ts";
import { modern, modernHeaders } from "../behaviour/mcp/stateless-fixture.ts";
import { passkey } from "../contract/credential-records.ts";
import { auditEvent } from "../contract/records.ts";
import { type McpServer, mcpServer, toolOf } from "../proxy/tools/mcp-server.ts";
import { proxyApp } from "../proxy/tools/proxying-gateway.ts";
import { CONSOLE } from "../support/configuration.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";
import { startAuthorizationServer, type TestAuthorizationServer } from "./authorization-server.ts";
import { RESOURCE, trusted } from "./started.ts";

const MINUTE = 60_000;
/** The agent acts for itself. */
const NOBODY = "nobody";
const COOKIE = "__Host-countersign-console";
const PAYMENT = { amount: 2_000, to: "NL1" };

/** A tool for each way to approve. */
const WAYS: Readonly<Record<string, Partial<ApprovalConfiguration>>> = {
  bySelf: { by: "self" },
  byOwners: { by: "owners" },
  bySomebodyElse: { by: "owners", separate: true },
  byTreasurer: { by: 'approver.accounts.exists(one, one.subject == "treasurer") && approver.role == "member"' },
  large: { by: "owners", when: "request.mcp.tool.params.arguments.amount > 1000" },
  broken: { by: "owners", when: "request.mcp.tool.params.arguments.missing > 1000" },
};

interface Approval extends JsonObject {
  readonly approvalId: string;
  readonly digest: string;
}

let server: TestAuthorizationServer;
let it: InProcess;
let baseURL = "https://api.example";
let revision = 1;
let consoleOf: Configuration["console"];
const sent: unknown[] = [];
let payments: McpServer;
let catalog: McpBridgeAppConfiguration["catalog"];

beforeAll(async () => {
  server = await startAuthorizationServer();
});
afterAll(() => server.stop());

beforeEach(async () => {
  catalog = await catalogOf(Object.keys(WAYS));
  sent.length = 0;
  [baseURL, revision] = ["https://api.example", 1];
  consoleOf = { ...CONSOLE, enabled: true, baseURL: ISSUER };
  const app = (): McpBridgeAppConfiguration => ({
    ...{ type: "mcpBridge", name: "ledger", baseURL, timeout: 5_000, inboundTools: [], stepUp: [], catalog },
    rules: Object.entries(WAYS).map(([tool, way]) => ({
      tools: [tool],
      approval: { by: "owners", separate: false, expires: 10 * MINUTE, ...way },
    })),
    outbound: { type: "unprotected" },
  });
  payments = mcpServer([toolOf("pay")]);
  const self: ApprovalConfiguration = { by: "self", separate: false, expires: 10 * MINUTE };
  const ofServer = proxyApp("payments", { rules: [{ tools: ["pay"], approval: self }] });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (new URL(input instanceof Request ? input.url : input).host === "payments.example")
      return payments.fetch(input, init);
    if (!String(input).includes("api.example")) return globalThis.fetch(input, init);
    sent.push(JSON.parse(String(init?.body)));
    return new Response(null, { status: 204 });
  };
  it = await startInProcess({
    configuration: {
      console: consoleOf,
      mcpProvider: {
        serverName: "gateway",
        stream: {
          ...{ path: "/mcp", resource: RESOURCE },
          session: { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: 3_600_000 },
        },
        oauth: { enabled: true, metadataPath: "/resource-metadata", servers: [trusted(server.wellKnown)] },
        allowedOrigins: [],
        allowedHosts: [],
      },
    },
    adapt: (dependencies) => ({
      ...dependencies,
      configuration: () => ({
        revision,
        configuration: { ...dependencies.configuration().configuration, console: consoleOf, apps: [app(), ofServer] },
      }),
      fetch,
      outbound: () => fetch,
    }),
  });
  it.clock.set(Date.now());
});
afterEach(() => it.close());

describe("76. who approves", () => {
  test("is the agent's person alone, for self", async () => {
    const { id: ada } = await member("ada");
    const answer = await called("bySelf", "ada");
    expect(textOf(answer)).toMatch(/^Waits for approval by the person that the agent acts for: approval_/);
    const [owner, other] = [await ownerId(), (await member("eve")).id];
    const approval = await shown(answer, owner);
    expect(approval).toMatchObject({ mayDecide: false, person: expect.stringMatching(/^user_/) });
    expect((await decide(approval, "approve", owner)).status).toBe(403);
    expect((await decide(approval, "approve", other)).status).toBe(404);
    // Long after the sign-in, too.
    it.clock.set(it.clock.now() + MINUTE);
    expect((await decide(approval, "approve", ada)).status).toBe(200);
    expect(sent).toEqual([]);
    expect((await called("bySelf", "ada")).result?.isError).not.toBe(true);
    expect(sent).toEqual([PAYMENT]);
  });

  test("is nobody for self where the agent acts for itself", async () => {
    const answer = await called("bySelf", NOBODY);
    expect(textOf(answer)).toContain("acts for nobody");
  });

  test("is another owner than the agent's person where duties are separate", async () => {
    const ada = await member("ada", "owner");
    const approval = await shown(await called("bySomebodyElse", "ada"), ada.id);
    expect(approval.mayDecide).toBe(false);
    expect(approval).toMatchObject({ memberId: ada.id });
    for (const decision of ["approve", "refuse"]) expect((await decide(approval, decision, ada.id)).status).toBe(403);
    // Nor when nothing tells any more that the account is theirs.
    const account = { issuer: server.issuer, subject: "ada" };
    const unlinked = auditEvent({ type: "identity.unlinked" });
    expect(await it.dependencies.stores.identities.unlinkIdentity(ada.id, account, unlinked)).toBe(true);
    expect((await decide(approval, "approve", ada.id)).status).toBe(403);
    expect((await decide(approval, "approve", await ownerId())).status).toBe(200);
  });

  test("is no member, for owners", async () => {
    const { id } = await member("eve");
    const approval = await shown(await called("byOwners", "ada"), await ownerId());
    expect((await decide(approval, "approve", id)).status).toBe(404);
    expect(await listed(id)).toEqual([]);
  });

  test("is whom an expression over the approver names", async () => {
    const treasurer = await member("treasurer");
    const approval = await shown(await called("byTreasurer", "ada"), treasurer.id);
    expect(await listed(treasurer.id)).toEqual([approval.approvalId]);
    expect((await decide(approval, "approve", await ownerId())).status).toBe(403);
    expect((await decide(approval, "approve", treasurer.id)).status).toBe(200);
  });

  test("has signed in within ten minutes, for an organization, and with a passkey who has one", async () => {
    const owner = await ownerId();
    const approval = await shown(await called("byOwners", "ada"), owner);
    const old = await cookieOf(owner, "link");
    it.clock.set(it.clock.now() + 9 * MINUTE);
    await addPasskey(owner);
    const fresh = await cookieOf(owner, "link");
    for (const cookie of [old, fresh]) {
      const { status, body } = await decide(approval, "approve", owner, cookie);
      expect([status, body.type]).toEqual([403, expect.stringContaining("recent_sign_in_required")]);
    }
    expect((await decide(approval, "approve", owner, await cookieOf(owner, "passkey"))).status).toBe(200);
  });

  test("approves nothing for a day after a passkey was removed without one", async () => {
    const owner = await ownerId();
    const { auditLog } = it.dependencies.stores;
    const { organizationId } = (await it.dependencies.stores.directory.firstOrganization()) ?? {};
    const removed = (method: string) =>
      auditLog.append({
        ...auditEvent({ type: "passkey.removed", actor: owner, details: { method } }),
        ...(organizationId !== undefined && { organizationId }),
        time: it.clock.now(),
      });
    const approval = await shown(await called("byOwners", "ada"), owner);
    await removed("passkey");
    await removed("connector");
    const answer = await decide(approval, "approve", owner);
    expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining("For a day after that")]);
    it.clock.set(it.clock.now() + 24 * 60 * MINUTE + MINUTE);
    const later = await shown(await called("byOwners", "ada"), owner);
    expect((await decide(later, "approve", owner)).status).toBe(200);
  });

  test("refuses without that", async () => {
    const owner = await ownerId();
    const old = await cookieOf(owner, "link");
    it.clock.set(it.clock.now() + 20 * MINUTE);
    const approval = await shown(await called("byOwners", "ada"), owner);
    expect((await decide(approval, "approve", owner, old)).status).toBe(403);
    expect((await decide(approval, "refuse", owner, old)).status).toBe(200);
  });
});

describe("76. what is approved", () => {
  test("expires undecided, and unused", async () => {
    const owner = await ownerId();
    const approval = await shown(await called("byOwners", "ada"), owner);
    it.clock.set(it.clock.now() + 10 * MINUTE);
    expect((await decide(approval, "approve", owner)).status).toBe(409);
    const again = await shown(await called("byOwners", "ada"), owner);
    expect(again.approvalId).not.toBe(approval.approvalId);
    expect((await decide(again, "approve", owner)).status).toBe(200);
    it.clock.set(it.clock.now() + 10 * MINUTE);
    expect(textOf(await called("byOwners", "ada"))).toContain("Waits");
    expect(sent).toEqual([]);
  });

  test("is neither another person's nor another agent's call, nor one of other arguments, nor one to another server", async () => {
    const owner = await ownerId();
    const approval = await shown(await called("byOwners", "ada"), owner);
    expect((await decide(approval, "approve", owner)).status).toBe(200);
    expect(textOf(await called("byOwners", "eve"))).toContain("Waits");
    expect(textOf(await called("byOwners", "ada", { agent: "another" }))).toContain("Waits");
    expect(textOf(await called("byOwners", "ada", { given: { ...PAYMENT, amount: 2_001 } }))).toContain("Waits");
    [baseURL, revision] = ["https://other.api.example", 2];
    expect(textOf(await called("byOwners", "ada"))).toContain("Waits");
    expect(sent).toEqual([]);
    // Nor one to another place there.
    const own = catalog;
    [baseURL, revision] = ["https://api.example", 3];
    catalog = await catalogOf(Object.keys(WAYS), "/v2");
    expect(textOf(await called("byOwners", "ada"))).toContain("Waits");
    [catalog, revision] = [own, 4];
    expect((await called("byOwners", "ada")).result?.isError).not.toBe(true);
    expect(sent).toEqual([PAYMENT]);
  });

  test("is asked for where the condition holds, or fails, and not where it does not", async () => {
    expect(textOf(await called("large", "ada", { given: { amount: 1_001, to: "NL1" } }))).toContain("Waits");
    expect((await called("large", "ada", { given: { amount: 1_000, to: "NL1" } })).result?.isError).not.toBe(true);
    expect(textOf(await called("broken", "ada"))).toContain("Waits");
    expect(sent).toEqual([{ amount: 1_000, to: "NL1" }]);
  });

  test("is not asked for with arguments that no request can be made of", async () => {
    expect(textOf(await called("byOwners", "ada", { given: { to: 1 } }))).not.toContain("Waits");
    expect(await listed(await ownerId())).toEqual([]);
  });

  test("is told by the log of an organization, without arguments", async () => {
    const owner = await ownerId();
    const approval = await shown(await called("byOwners", "ada"), owner);
    await decide(approval, "approve", owner);
    await called("byOwners", "ada");
    const response = await api("GET", "/audit-events?limit=200", owner);
    const { items } = (await response.json()) as { items: readonly JsonObject[] };
    const types = items.map(({ type }) => String(type)).filter((type) => type.startsWith("approval."));
    expect(types.sort()).toEqual(["approval.approved", "approval.consumed", "approval.requested"]);
    expect(JSON.stringify(items)).not.toContain("NL1");
    expect(JSON.stringify(items)).toContain(approval.digest);
    expect(it.logs.join("")).not.toContain("NL1");
  });
});

describe("76. an agent that opens links for its person", () => {
  const URL_MODE = { elicitation: { url: {} } };

  test("is asked to, and its accept approves nothing", async () => {
    const { id: ada } = await member("ada");
    const asked = await modernCall("bySelf", URL_MODE);
    expect(asked.result).toMatchObject({ resultType: "input_required" });
    const { requestState, inputRequests } = asked.result as unknown as Asked;
    const { url } = inputRequests.approval.params;
    expect(url).toMatch(/^https:\/\/us\.example\/console\/approvals\/approval_\w+$/);
    const [approvalId = ""] = await listed(ada);
    expect(url.endsWith(approvalId)).toBe(true);
    const inputResponses = { approval: { action: "accept", content: { approved: true } } };
    const accept = (state: string, given: object = PAYMENT) =>
      modernCall("bySelf", URL_MODE, { requestState: state, inputResponses }, "ada", { given });
    // It waits for the person, who refuses although the client has accepted.
    const waiting = accept(requestState);
    const approval = await readApproval(approvalId, ada);
    expect([approval.state, sent]).toEqual(["pending", []]);
    expect((await decide(approval, "refuse", ada)).status).toBe(200);
    expect(textOf(await waiting)).toContain("refused it");
    expect(sent).toEqual([]);

    const other = { ...PAYMENT, to: "NL2" };
    const again = (await modernCall("bySelf", URL_MODE, {}, "ada", { given: other })).result as unknown as Asked;
    const next = again.inputRequests.approval.params.url.split("/").at(-1) ?? "";
    expect((await decide(await readApproval(next, ada), "approve", ada)).status).toBe(200);
    expect(sent).toEqual([]);
    // A state is of one call.
    expect((await accept(again.requestState, { ...PAYMENT, to: "NL3" })).error).toMatchObject({ code: -32_602 });
    expect((await accept(again.requestState, other)).result?.isError).not.toBe(true);
    expect(sent).toEqual([other]);
  });

  test("is asked once for a call of an MCP server, which then goes out with the answers that were approved", async () => {
    const { id: ada } = await member("ada");
    const calling = { given: {}, namespace: "payments_" };
    const answers = { limit: { action: "accept", content: { amount: 5 } } };
    for (const [times, repeated] of [{}, { inputResponses: answers }].entries()) {
      const asked = (await modernCall("pay", URL_MODE, repeated, "ada", calling)).result as unknown as Asked;
      const approvalId = asked.inputRequests.approval.params.url.split("/").at(-1) ?? "";
      expect((await decide(await readApproval(approvalId, ada), "approve", ada)).status).toBe(200);
      const again = { requestState: asked.requestState, inputResponses: { approval: { action: "accept" } } };
      const made = await modernCall("pay", URL_MODE, again, "ada", calling);
      expect(textOf(made)).toBe("called pay");
      expect([(await listed(ada)).length, payments.calls.length]).toEqual([times + 1, times + 1]);
      const { requestState, inputResponses } = payments.calls[times]?.params ?? {};
      expect([requestState, inputResponses]).toEqual([undefined, repeated.inputResponses]);
    }
  });

  test("gets by a task what a REST API is called with, also a number that no double holds", async () => {
    const amount = (JSON as unknown as { rawJSON(text: string): number }).rawJSON("12345678901234567891");
    const byTask = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const { result } = await modernCall("byOwners", byTask, {}, "ada", { given: { ...PAYMENT, amount } });
    const taskId = String((result as JsonObject | undefined)?.taskId);
    const owner = await ownerId();
    expect((await decide(await readApproval(taskId, owner), "approve", owner)).status).toBe(200);
    const params = { taskId, _meta: { "io.modelcontextprotocol/clientCapabilities": byTask } };
    const ended = await rpc(await post(modern("tasks/get", params), "ada", modernHeaders("tasks/get", params)));
    expect(ended.result).toMatchObject({ status: "completed", result: { resultType: "complete" } });
    expect(sent).toEqual([{ ...PAYMENT, amount: 12345678901234567000 }]);
  });

  test("gets a task after that, where it takes tasks and its person takes longer", async () => {
    const { id: ada } = await member("ada");
    const both = { ...URL_MODE, extensions: { "io.modelcontextprotocol/tasks": {} } };
    const { requestState } = (await modernCall("bySelf", both)).result as unknown as Asked;
    const accepted = { requestState, inputResponses: { approval: { action: "accept" } } };
    const waiting = modernCall("bySelf", both, accepted);
    const [approvalId] = await listed(ada);
    // More than a client takes a silence.
    const patience = setInterval(() => it.clock.set(it.clock.now() + 26_000), 1_000);
    const { result } = await waiting.finally(() => clearInterval(patience));
    expect(result).toMatchObject({ resultType: "task", taskId: approvalId, status: "working" });
  });

  test("is told in words that the call still waits where the person does not open it", async () => {
    await member("ada");
    const { requestState } = (await modernCall("bySelf", URL_MODE)).result as unknown as Asked;
    const declined = { requestState, inputResponses: { approval: { action: "decline" } } };
    expect(textOf(await modernCall("bySelf", URL_MODE, declined))).toContain("Waits for approval");
  });

  test("is told where the Console stands, and of no page where there is none", async () => {
    consoleOf = { ...CONSOLE, enabled: true, baseURL: "https://console.example/base" };
    expect(textOf(await called("byOwners", "ada"))).toContain(
      "at https://console.example/base/console/approvals/approval_",
    );
    consoleOf = { ...CONSOLE, baseURL: ISSUER };
    const text = textOf(await called("byOwners", "ada"));
    expect([text, text.includes("https://")]).toEqual([expect.stringContaining("An operator can approve it"), false]);
  });

  test("gets the error of 2025-11-25 in a session, and hears there when somebody has decided; no other agent does", async () => {
    const { id: ada } = await member("ada");
    const send = (message: object, headers: Record<string, string> = {}) => post(message, "ada", headers);
    const clientInfo = { name: "agent", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: URL_MODE, clientInfo };
    const begun = await send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const session = {
      "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": "2025-11-25",
    };
    await send({ jsonrpc: "2.0", method: "notifications/initialized" }, session);
    const authorization = `Bearer ${await tokenOf("ada")}`;
    const events = readEvents(
      await it.send("/mcp", { headers: { authorization, accept: "text/event-stream", ...session } }),
    );
    const call = (name: string) => ({
      ...{ jsonrpc: "2.0", id: 2, method: "tools/call" },
      params: { name: `ledger_${name}`, arguments: PAYMENT },
    });
    const told = await rpc(await send(call("bySelf"), session));
    expect(told.error).toMatchObject({
      code: -32_042,
      data: { elicitations: [{ mode: "url", url: expect.stringContaining("/console/approvals/approval_") }] },
    });
    const [{ elicitationId }] = (told.error as unknown as { data: { elicitations: [{ elicitationId: string }] } }).data
      .elicitations;
    const approval = await readApproval(elicitationId, ada);
    expect(approval).not.toHaveProperty("sessionHash");
    expect((await decide(approval, "approve", ada)).status).toBe(200);
    expect(await events.message()).toMatchObject({
      method: "notifications/elicitation/complete",
      params: { elicitationId },
    });
    await events.cancel();
    expect(textOf(await rpc(await send(call("byOwners"), session)))).toContain("Waits for approval by an owner");
    expect(textOf(await modernCall("byOwners", URL_MODE))).toContain("Waits for approval by an owner");
    const another = { given: { ...PAYMENT, amount: 3 } };
    const answer = await modernCall("bySelf", { elicitation: {} }, {}, "ada", another);
    expect(textOf(answer)).toContain("Waits for approval by the person");
  });
});

interface Asked {
  readonly requestState: string;
  readonly inputRequests: { readonly approval: { readonly params: { readonly url: string } } };
}

async function catalogOf(tools: readonly string[], folder = "") {
  const schema = {
    type: "object",
    required: ["amount", "to"],
    properties: { amount: { type: "number" }, to: { type: "string" } },
  };
  const requestBody = { required: true, content: { "application/json": { schema } } };
  const operation = (operationId: string) => ({
    operationId,
    requestBody,
    responses: { 204: { description: "Done." } },
  });
  const paths = Object.fromEntries(tools.map((tool) => [`${folder}/${tool}`, { post: operation(tool) }]));
  const document = { openapi: "3.1.0", info: { title: "Payments", version: "1" }, paths };
  const result = await compileCatalog(JSON.stringify(document), { app: "ledger", namespace: { disabled: false } });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  return result.catalog;
}

async function tokenOf(person: string, agent = "agent"): Promise<string> {
  const iat = Math.floor(it.clock.now() / 1_000);
  return server.sign({
    aud: RESOURCE,
    scope: "x",
    client_id: agent,
    sub: person === NOBODY ? agent : person,
    iat,
    exp: iat + 300,
  });
}

interface Calling {
  readonly agent?: string;
  readonly given?: object;
  readonly namespace?: string;
}

function called(tool: string, person: string, calling: Calling = {}): Promise<RpcAnswer> {
  return modernCall(tool, {}, {}, person, calling);
}

async function post(message: object, person: string, headers: object = {}, agent?: string) {
  return it.send("/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${await tokenOf(person, agent)}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(message),
  });
}

async function modernCall(
  tool: string,
  capabilities: object,
  more: object = {},
  person = "ada",
  { agent, given = PAYMENT, namespace = "ledger_" }: Calling = {},
): Promise<RpcAnswer> {
  const params = {
    ...{ name: `${namespace}${tool}`, arguments: given, ...more },
    _meta: { "io.modelcontextprotocol/clientCapabilities": capabilities },
  };
  return rpc(await post(modern("tools/call", params), person, modernHeaders("tools/call", params), agent));
}

async function ownerId(): Promise<string> {
  return (await it.dependencies.stores.directory.findPersonByEmail("owner@example.com"))?.userId as string;
}

/** Somebody in the first organization, with an account of this subject. */
async function member(subject: string, role: Role = "member"): Promise<{ readonly id: string }> {
  const { stores } = it.dependencies;
  const organizationId = (await stores.directory.firstOrganization())?.organizationId as string;
  const actor = { id: await ownerId(), organizationId, requestId: "request" };
  const { link } = await createInvitation(it.dependencies, actor, { email: `${subject}@example.com`, role });
  const secret = new URL(link).hash.replace("#token=", "");
  const userId = newUserId(it.dependencies);
  await redeemInvitation(it.dependencies, secret, { userId, isNew: true }, "request");
  await stores.identities.linkIdentity(
    { ...{ issuer: server.issuer, subject, userId }, connector: "corp", label: subject, createdAt: it.clock.now() },
    auditEvent({ type: "identity.linked" }),
  );
  return { id: userId };
}

async function addPasskey(userId: string): Promise<void> {
  await it.dependencies.stores.passkeys.addPasskey(passkey({ userId }), auditEvent({ type: "passkey.added" }));
}

async function cookieOf(userId: string, method: SignInMethod): Promise<string> {
  return `${COOKIE}=${await startBrowserSession(it.dependencies, userId, { method, userAgent: "A browser" })}`;
}

async function api(method: string, path: string, userId: string, body?: object, cookie?: string): Promise<Response> {
  const Cookie = cookie ?? (await cookieOf(userId, "link"));
  return it.send(`/api/v1${path}`, {
    method,
    headers: { Cookie, origin: ISSUER, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function readApproval(approvalId: string, userId: string): Promise<Approval> {
  return (await (await api("GET", `/approvals/${approvalId}`, userId)).json()) as Approval;
}

function shown(answer: RpcAnswer, userId: string): Promise<Approval> {
  return readApproval(/approval_\w+/.exec(textOf(answer))?.[0] ?? "none", userId);
}

async function listed(userId: string): Promise<readonly string[]> {
  const { items } = (await (await api("GET", "/approvals", userId)).json()) as { items: readonly Approval[] };
  return items.map(({ approvalId }) => approvalId);
}

async function decide({ approvalId, digest }: Approval, decision: string, userId: string, cookie?: string) {
  const response = await api("POST", `/approvals/${approvalId}/decision`, userId, { decision, digest }, cookie);
  return { status: response.status, body: (await response.json()) as JsonObject };
}
