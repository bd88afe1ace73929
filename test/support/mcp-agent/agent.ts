import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as OldSseTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { answers } from "./answers.ts";
import { createInbox, type Inbox, type Told } from "./inbox.ts";

/** The SDK's clients: version 1, and version 2 in both generations of the protocol. */
export const KINDS = ["version 1", "version 2", "version 2, stateless"] as const;
export type Kind = (typeof KINDS)[number];

export type Json = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number; readonly total?: number }) => void;
}

/** What both versions of the SDK's client have. */
interface Speaking {
  request(request: { method: string; params?: Json }, schema: unknown): Promise<unknown>;
  listTools(): Promise<Json>;
  listResources(): Promise<Json>;
  listResourceTemplates(): Promise<Json>;
  listPrompts(): Promise<Json>;
  readResource(params: { uri: string }): Promise<Json>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<Json>;
  complete(params: Json): Promise<Json>;
  setLoggingLevel(level: string): Promise<Json>;
  subscribeResource(params: { uri: string }): Promise<Json>;
  unsubscribeResource(params: { uri: string }): Promise<Json>;
  sendRootsListChanged(): Promise<void>;
  getServerCapabilities(): Json | undefined;
  getInstructions(): string | undefined;
  close(): Promise<void>;
  fallbackNotificationHandler?: (told: Told) => Promise<void>;
}

/** A program that speaks to an MCP server by one of the SDK's clients. */
export interface Agent extends Speaking {
  readonly kind: Kind;
  readonly inbox: Inbox;
  callTool(params: { name: string; arguments?: Json; _meta?: Json }, options?: CallOptions): Promise<Json>;
  /** Follows a resource as the generation has it. */
  follow(uri: string): Promise<{ end(): Promise<void> }>;
}

export interface Destination {
  readonly url: string;
  readonly token?: string | undefined;
  /** By default Streamable HTTP. */
  readonly transport?: "sse";
}

export interface AgentOptions {
  readonly kind: Kind;
  /** It declares none: nobody may ask it anything. */
  readonly isMute?: boolean;
}

const INFO = { name: "agent", version: "1" };
const CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };

export async function connectAgent(to: Destination, { kind, isMute = false }: AgentOptions): Promise<Agent> {
  const inbox = createInbox();
  const capabilities = isMute ? {} : CAPABILITIES;
  const client = kind === "version 1" ? oldClient(capabilities, inbox) : newClient(kind, capabilities, inbox);
  client.fallbackNotificationHandler = async (told: Told) => inbox.take(told);
  await connect(client, to);
  const agent = Object.assign(client, { kind, inbox }) as unknown as Omit<Agent, "follow">;
  const callTool: Agent["callTool"] =
    client instanceof OldClient
      ? (params, options) => OldClient.prototype.callTool.call(client, params, undefined, options) as Promise<Json>
      : (params, options) => Client.prototype.callTool.call(client, params, options) as Promise<Json>;
  return Object.assign(agent, { callTool, follow: (uri: string) => follow(client, uri) });
}

function newClient(kind: Kind, capabilities: Json, inbox: Inbox): Client {
  const mode = kind === "version 2" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client(INFO, { capabilities, versionNegotiation: { mode } });
  if (Object.keys(capabilities).length === 0) return client;
  const { sample, elicit, roots } = answers(inbox);
  client.setRequestHandler("sampling/createMessage", sample);
  client.setRequestHandler("elicitation/create", elicit);
  client.setRequestHandler("roots/list", roots);
  return client;
}

function oldClient(capabilities: Json, inbox: Inbox): OldClient {
  const client = new OldClient(INFO, { capabilities });
  if (Object.keys(capabilities).length === 0) return client;
  const { sample, elicit, roots } = answers(inbox);
  client.setRequestHandler(CreateMessageRequestSchema, sample);
  client.setRequestHandler(ElicitRequestSchema, elicit);
  client.setRequestHandler(ListRootsRequestSchema, roots);
  return client;
}

async function connect(client: Client | OldClient, { url, token, transport }: Destination): Promise<void> {
  const at = new URL(url);
  const options = { requestInit: token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } } };
  if (client instanceof OldClient)
    await client.connect(transport === "sse" ? new OldSseTransport(at, options) : new OldTransport(at, options));
  else
    await client.connect(
      transport === "sse" ? new SSEClientTransport(at, options) : new StreamableHTTPClientTransport(at, options),
    );
}

async function follow(client: Client | OldClient, uri: string): Promise<{ end(): Promise<void> }> {
  if (client instanceof Client && client.getProtocolEra() === "modern") {
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    return { end: () => subscription.close() };
  }
  await client.subscribeResource({ uri });
  return { end: async () => void (await client.unsubscribeResource({ uri })) };
}
