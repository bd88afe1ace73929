import type { Gateway } from "../gateway/gateway.ts";
import type { JsonObject } from "../json.ts";
import { VERSION } from "../version.ts";

/** What the gateway calls itself (MCP, `Implementation`). */
export function serverInfo({ mcpProvider }: Pick<Gateway, "mcpProvider">): JsonObject {
  return { name: mcpProvider.serverName, version: VERSION };
}

/**
 * What clients may count on.
 *
 * @param hears whether the client can be told something later: that lists change
 * @param chooses whether the client can choose which log messages it gets
 */
export function capabilities({ hears, chooses }: { readonly hears: boolean; readonly chooses: boolean }): JsonObject {
  return { tools: hears ? { listChanged: true } : {}, ...(chooses && { logging: {} }) };
}
