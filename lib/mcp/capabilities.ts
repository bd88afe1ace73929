import type { Gateway } from "../gateway/gateway.ts";
import type { JsonObject } from "../json.ts";
import type { Introduction } from "../proxy/channel/introductions.ts";
import { EVERYTHING, mergedCapabilities, withoutChanges } from "../proxy/channel/merged-capabilities.ts";
import { VERSION } from "../version.ts";

/** What the gateway calls itself (MCP, `Implementation`). */
export function serverInfo({ mcpProvider }: Pick<Gateway, "mcpProvider">): JsonObject {
  return { name: mcpProvider.serverName, version: VERSION };
}

/** How a client is served, which is part of what it may count on. */
export interface Served {
  /** Whether it can be told something later: that lists change. */
  readonly hears: boolean;
  /** Whether it can choose which log messages it gets. */
  readonly chooses: boolean;
}

/** Whose capabilities clients see as ours. */
export interface Behind {
  /** There are tools of REST APIs, which log and change also where no upstream does. */
  readonly hasOwnTools: boolean;
  /** Upstreams that the client may see; what one that said nothing yet can do shows when it is asked. */
  readonly introduced: readonly { readonly said: Introduction | undefined }[];
}

/** What clients may count on. */
export function capabilities({ hears, chooses }: Served, { hasOwnTools, introduced }: Behind): JsonObject {
  const own = hasOwnTools || introduced.length === 0 ? [{ tools: { listChanged: true }, logging: {} }] : [];
  const theirs = introduced.map(({ said }) => said?.capabilities ?? EVERYTHING);
  // What only the upstreams know they have to agree on; what clients know of us is added to that.
  const { logging, ...others } = mergedCapabilities([...own, mergedCapabilities(theirs)]);
  const all = { ...others, ...(chooses && logging !== undefined && { logging }) };
  return hears ? all : withoutChanges(all);
}
