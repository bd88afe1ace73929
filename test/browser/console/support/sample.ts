import { mcpClient } from "../../../../examples/quickstart/mcp-client.ts";
import type { ApiClient } from "../../../../lib/management/schemas/api-clients.ts";
import type { AddedKeyPair } from "../../../../lib/management/schemas/key-pairs.ts";
import { requestToken } from "./agent.ts";
import { waitingApproval } from "./approvals.ts";
import { connectPeople } from "./connections.ts";
import { request } from "./requests.ts";
import type { ConsoleServer } from "./server.ts";
import type { Visitor } from "./visitor.ts";

const CLIENTS = [
  {
    name: "Reading room assistant",
    description: "Answers visitors' questions at the desk on the first floor.",
    scopes: ["library:read", "board:read", "board:write"],
  },
  { name: "Overdue reminders", description: "Writes to members every morning.", scopes: ["library:read"] },
  { name: "Security monitoring", description: "Copies the audit log every five minutes.", scopes: ["audit:read"] },
  { name: "Catalogue import", description: "", scopes: ["library:read", "library:write"] },
] as const;

/** What an instance has after a morning: API clients, agents at work and what was refused to them, invitations, connected accounts. */
export async function fillWithSamples(server: ConsoleServer, owner: Visitor): Promise<readonly ApiClient[]> {
  const resources = [`${server.url}/mcp`];
  const clients: ApiClient[] = [];
  for (const client of CLIENTS) {
    clients.push(await request<ApiClient>(server, owner, "POST", "/api-clients", { ...client, resources }));
  }
  const [assistant, reminders, monitoring] = clients as [ApiClient, ApiClient, ApiClient];
  const key = await addKeyPair(server, owner, assistant);
  await work(server, assistant, key);
  await work(server, reminders, await addKeyPair(server, owner, reminders));
  const revoked = await addKeyPair(server, owner, monitoring);
  await request(server, owner, "POST", `/api-clients/${monitoring.clientId}/key-pairs/${revoked.keyPairId}/revoke`);
  await tokenFor(server, monitoring, revoked).catch(() => undefined);
  const stop = {
    kind: "tool",
    id: "board/postNotice",
    state: "suspended",
    reason: "Notices with somebody's name in them.",
  };
  await request(server, owner, "POST", "/stops", stop);
  const end = { kind: "api_client", id: reminders.clientId, state: "ended", reason: "Its token was in a mail." };
  await request(server, owner, "POST", "/stops", end);
  const limits = [
    { name: "notices", for: { app: "board", tool: "/post.*/" }, per: "person", rate: "20/m", burst: 5 },
    { name: "month", per: "organization", quota: "250000/month" },
  ];
  await request(server, owner, "PUT", "/gateway-settings", { limits });
  await request(server, owner, "POST", "/invitations", { email: "bob@library.example", role: "member" });
  await request(server, owner, "POST", "/invitations", { email: "carol@library.example", role: "owner" });
  await connectPeople(server, owner);
  await waitingApproval(server, owner);
  return clients;
}

export function addKeyPair(server: ConsoleServer, owner: Visitor, { clientId }: ApiClient): Promise<AddedKeyPair> {
  return request(server, owner, "POST", `/api-clients/${clientId}/key-pairs`);
}

function tokenFor(server: ConsoleServer, { clientId }: ApiClient, { privateKey = "" }: AddedKeyPair): Promise<string> {
  return requestToken(server.url, { clientId, privateKey }, `${server.url}/mcp`);
}

/** Calls that succeed, fail, and are not allowed, as far as the client's scopes go. */
async function work(server: ConsoleServer, client: ApiClient, key: AddedKeyPair): Promise<void> {
  const token = await tokenFor(server, client, key);
  await openSession(server, token);
  const gateway = mcpClient(`${server.url}/mcp`, token);
  for (const query of ["sea", "whale", "garden"]) await gateway.callTool("library_searchBooks", { query });
  await gateway.callTool("library_getBook", { bookId: "book-999" });
  for (const [tool, args] of NOT_FOR_ALL) await gateway.callTool(tool, args).catch(() => undefined);
}

const NOT_FOR_ALL = [
  ["board_listNotices", {}],
  ["board_postNotice", { text: "Moby-Dick is on the shelf." }],
  ["library_addBook", { title: "Silas Marner", author: "George Eliot" }],
] as const;

/** A session of an agent that shakes hands (MCP 2025-06-18), left open. */
async function openSession(server: ConsoleServer, token: string): Promise<void> {
  const clientInfo = { name: "desk-terminal", version: "3.2.0" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`initialize answered ${response.status}`);
}
