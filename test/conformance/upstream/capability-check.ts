import type { InputRequests } from "./context.ts";
import { type JsonObject, MISSING_CAPABILITY, RpcError } from "./json-rpc.ts";

/** The capability that a client declares for each method that it answers. */
const CAPABILITIES: Readonly<Record<string, string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** Whether a client answers a method. */
export function answers(clientCapabilities: JsonObject, method: string): boolean {
  return clientCapabilities[CAPABILITIES[method] ?? ""] !== undefined;
}

/** @throws RpcError that names the capabilities which the client did not declare */
export function refuseUndeclared(clientCapabilities: JsonObject, requests: InputRequests): void {
  const missing = Object.values(requests).filter(({ method }) => !answers(clientCapabilities, method));
  if (missing.length === 0) return;
  const names = missing.map(({ method }) => CAPABILITIES[method] ?? method);
  throw new RpcError(MISSING_CAPABILITY, `The client did not declare ${names.join(", ")}.`, {
    requiredCapabilities: Object.fromEntries(names.map((name) => [name, {}])),
  });
}
