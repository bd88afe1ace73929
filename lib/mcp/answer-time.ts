import type { Gateway } from "../gateway/gateway.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import type { Admissions } from "./admit.ts";
import type { ExchangeOptions } from "./exchange.ts";
import type { RpcRequest } from "./message.ts";

/**
 * How long the answer to requests will take. Calls of REST APIs take their time. What upstream MCP servers are asked for takes
 * theirs, and they may refuse it with a status.
 */
export function answerTime(
  requests: readonly RpcRequest[],
  admissions: Admissions,
  { proxies }: Pick<Gateway, "proxies">,
): ExchangeOptions["isLong"] {
  const calls = requests.filter(({ method }) => method === "tools/call").map((request) => admissions.get(request));
  if (proxies.apps.length === 0) return calls.length > 0;
  return calls.some((call) => call instanceof GatewayError || call?.located.kind === "bridge") || "deferred";
}
