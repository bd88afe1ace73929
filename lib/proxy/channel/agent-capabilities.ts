import type { JsonObject } from "../../json.ts";

/** Which capability of a client a request to it takes (MCP 2025-11-25, Lifecycle, Capability Negotiation), by the method. */
const CAPABILITIES: Readonly<Record<string, string>> = {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
  "roots/list": "roots",
  "tasks/get": "tasks",
  "tasks/result": "tasks",
  "tasks/list": "tasks",
  "tasks/cancel": "tasks",
};

/** Whether a client may be asked; of methods that nobody knows, any may. */
export function mayBeAsked(method: string, clientCapabilities: JsonObject): boolean {
  const capability = Object.hasOwn(CAPABILITIES, method) ? CAPABILITIES[method] : undefined;
  return capability === undefined || clientCapabilities[capability] !== undefined;
}
