import { UpstreamFailure } from "../wire/upstream-failure.ts";

/**
 * Where messages are posted (MCP 2024-11-05, Transports, HTTP with SSE): the upstream names it, and may name an address of its
 * own origin alone, as the operator vouched for no other.
 *
 * @throws UpstreamFailure `redirect`
 */
export function endpointOf(named: string, configured: string): string {
  const endpoint = URL.canParse(named, configured) ? new URL(named, configured) : undefined;
  const isOwn = endpoint?.origin === new URL(configured).origin;
  if (endpoint === undefined || !isOwn || endpoint.username !== "" || endpoint.password !== "") throw foreign();
  return endpoint.href;
}

function foreign(): UpstreamFailure {
  return new UpstreamFailure(
    "redirect",
    "The upstream's `endpoint` event names no address of the upstream's own origin, and messages are posted to no other.",
  );
}
