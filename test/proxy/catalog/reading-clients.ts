import { Client } from "@modelcontextprotocol/client";
import { Client as SessionClient } from "@modelcontextprotocol/sdk/client/index.js";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { KINDS, type ListKind } from "../../../lib/upstream/catalog/kinds.ts";
import { readList } from "../../../lib/upstream/catalog/read-list.ts";
import type { Generation } from "../../../lib/upstream/generations.ts";
import { answering } from "./upstream-lists.ts";

const IMPLEMENTATION = { name: "test", version: "1" };

/** The SDK's own clients, by the generation that they speak. */
const CLIENTS = [
  ["session", "version 1 of the SDK", () => new SessionClient(IMPLEMENTATION)],
  ["session", "version 2 of the SDK", () => new Client(IMPLEMENTATION, { versionNegotiation: { mode: "legacy" } })],
  ["stateless", "version 2 of the SDK", () => new Client(IMPLEMENTATION, { versionNegotiation: { mode: "auto" } })],
] as const;

/** What the clients object to in the list that is read of an upstream with these entries; empty: nothing. */
export async function objections(kind: ListKind, entries: readonly unknown[]): Promise<readonly string[]> {
  const found = await Promise.all(
    CLIENTS.map(async ([generation, name, create]) => {
      const shown = await shownTo(generation, kind, entries);
      const problem = await problemOf(create(), kind, shown);
      return problem === undefined ? [] : [`${name} in the ${generation} generation: ${problem}`];
    }),
  );
  return found.flat();
}

/** The definitions that clients of a generation get, as JSON has them. */
export async function shownTo(
  generation: Generation,
  kind: ListKind,
  entries: readonly unknown[],
): Promise<readonly JsonObject[]> {
  const list = await readList(kind, answering({ [kind]: entries }).ask, generation);
  return JSON.parse(JSON.stringify(list.entries.map(({ definition }) => definition)));
}

/** Lists, and calls each tool: a client may refuse a call for the schema that it was listed. */
async function problemOf(
  client: Client | SessionClient,
  kind: ListKind,
  entries: readonly JsonObject[],
): Promise<string | undefined> {
  try {
    await client.connect(serverOf(kind, entries) as never);
    const read = await listed(client as Client, kind);
    if (read.length !== entries.length) return `reads ${read.length} of ${entries.length}`;
    if (kind === "tools") for (const { name } of entries) await client.callTool({ name: String(name) });
    return undefined;
  } catch (cause) {
    return String(cause);
  } finally {
    await client.close();
  }
}

async function listed(client: Client, kind: ListKind): Promise<readonly unknown[]> {
  if (kind === "tools") return (await client.listTools()).tools;
  if (kind === "prompts") return (await client.listPrompts()).prompts;
  if (kind === "resources") return (await client.listResources()).resources;
  return (await client.listResourceTemplates()).resourceTemplates;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

/** A transport to a server with one list; each call ends in an error of the tool, which says nothing of its schema. */
function serverOf(kind: ListKind, entries: readonly JsonObject[]) {
  const { method: listing, member } = KINDS[kind];
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const kept = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const results: Readonly<Record<string, JsonObject>> = {
    "server/discover": { ...kept, supportedVersions: ["2026-07-28"], capabilities, serverInfo: IMPLEMENTATION },
    "tools/call": { resultType: "complete", content: [], isError: true },
    [listing]: { ...kept, [member]: entries },
  };
  const transport = {
    onmessage: undefined as ((message: unknown) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    start: () => Promise.resolve(),
    close: async () => transport.onclose?.(),
    send: async ({ id, method = "", params }: Message) => {
      if (id === undefined) return;
      const initialized = { protocolVersion: params?.protocolVersion, capabilities, serverInfo: IMPLEMENTATION };
      const result = results[method] ?? initialized;
      queueMicrotask(() => transport.onmessage?.({ jsonrpc: "2.0", id, result }));
    },
  };
  return transport;
}
