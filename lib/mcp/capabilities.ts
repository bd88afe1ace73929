import type { McpProviderConfiguration } from "../config/configuration.ts";
import { utf8 } from "../kernel/encoding.ts";
import { type JsonObject, jsonExceeds } from "../kernel/json.ts";
import { VERSION } from "../kernel/version.ts";
import { TASKS_EXTENSION } from "../protocol/mcp/tasks-extension.ts";
import type { Introduction } from "../upstream/channel/introductions.ts";
import { EVERYTHING, mergedCapabilities, withoutChanges } from "../upstream/channel/merged-capabilities.ts";

export interface ServerInfoPorts {
  readonly mcpProvider: Pick<McpProviderConfiguration, "serverName">;
}

/** What the gateway calls itself (MCP, `Implementation`). */
export function serverInfo({ mcpProvider }: ServerInfoPorts): JsonObject {
  return { name: mcpProvider.serverName, version: VERSION };
}

/** How a client is served, which is part of what it may count on. */
export interface Served {
  /** Whether it can be told something later: that lists change. */
  readonly hears: boolean;
  /** Whether it can choose which log messages it gets. */
  readonly chooses: boolean;
  /** Whether the answer to a call may be a task of the gateway's own. */
  readonly tasks?: boolean;
}

/** Whose capabilities clients see as ours. */
export interface Behind {
  /** There are tools of REST APIs, which log and change also where no upstream does. */
  readonly hasOwnTools: boolean;
  /** Upstreams that the client may see; what one that said nothing yet can do shows when it is asked. */
  readonly introduced: readonly { readonly said: Introduction | undefined }[];
}

/** What clients may count on. */
export function capabilities(
  { hears, chooses, tasks = false }: Served,
  { hasOwnTools, introduced }: Behind,
): JsonObject {
  const own = hasOwnTools || introduced.length === 0 ? [{ tools: { listChanged: true }, logging: {} }] : [];
  const theirs = introduced.map(({ said }) => said?.capabilities ?? EVERYTHING);
  // What only the upstreams know they have to agree on; what clients know of us is added to that.
  const waiting = tasks ? [{ extensions: { [TASKS_EXTENSION]: {} } }] : [];
  const { logging, ...others } = mergedCapabilities([...own, ...waiting, mergedCapabilities(theirs)]);
  const all = { ...others, ...(chooses && logging !== undefined && { logging }) };
  return hears ? all : withoutChanges(all);
}

/** Values in a client's capabilities, and their bytes as JSON: many times what the revisions define. */
const LIMITS = { depth: 10, nodes: 500 };
const LENGTH = 4_096;

/** Whether a client declares more than anybody needs: it is kept with the session, and tells lists apart. */
export function areCapabilitiesTooLarge(declared: JsonObject): boolean {
  return jsonExceeds(declared, LIMITS) || utf8(JSON.stringify(declared)).length > LENGTH;
}
