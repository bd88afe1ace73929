import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { UpstreamAnswer } from "../../proxy/answer.ts";
import { forward } from "../../proxy/forward.ts";
import { UpstreamRefusal } from "../../proxy/refusal.ts";
import type { Upstream, UpstreamRequest } from "../../proxy/upstream.ts";
import type { ExchangeTerms } from "../credentials/terms.ts";
import type { Gateway } from "../gateway.ts";
import { type OutboundCredential, renewCredential } from "../obtain-credential.ts";
import { type UpstreamCaller, upstreamOf } from "./upstream-of.ts";

/** Where a request goes, and what its credential is exchanged for. */
export interface Destination {
  readonly app: McpProxyAppConfiguration;
  readonly terms?: ExchangeTerms | undefined;
}

/**
 * Forwards a request with a credential. Whoever answers 401 has done nothing yet: with another token it may be sent once more
 * (checklist 29).
 *
 * @throws UpstreamRefusal, UpstreamFailure and others (`failureOf` reads them)
 */
export async function forwardRequest(
  request: UpstreamRequest,
  destination: Destination,
  credential: OutboundCredential,
  caller: UpstreamCaller,
  gateway: Gateway,
): Promise<UpstreamAnswer> {
  const upstreamWith = (carried: OutboundCredential): Upstream => ({
    ...upstreamOf(destination.app, carried, caller, gateway),
    renewed: async () => {
      const renewed = await renewCredential(carried, destination, caller, gateway);
      return renewed && upstreamWith(renewed);
    },
  });
  const send = (carried: OutboundCredential) => forward(request, upstreamWith(carried));
  try {
    return await send(credential);
  } catch (cause) {
    if (!(cause instanceof UpstreamRefusal) || cause.status !== 401) throw cause;
    const renewed = await renewCredential(credential, destination, caller, gateway);
    if (renewed === undefined) throw cause;
    return send(renewed);
  }
}
