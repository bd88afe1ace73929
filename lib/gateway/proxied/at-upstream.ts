import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { UpstreamRefusal } from "../../proxy/refusal.ts";
import type { Upstream } from "../../proxy/upstream.ts";
import type { Gateway } from "../gateway.ts";
import { renewCredential } from "../obtain-credential.ts";
import { appCredential, appDestination } from "./app-credential.ts";
import { type UpstreamCaller, upstreamOf } from "./upstream-of.ts";

/**
 * Does something at an upstream that is for none of its tools. Whoever answers 401 has done nothing yet: with another token it
 * is tried once more (checklist 29).
 *
 * @throws GatewayError where there is no credential; what the work rejects with
 */
export async function atUpstream<T>(
  app: McpProxyAppConfiguration,
  caller: UpstreamCaller,
  gateway: Gateway,
  work: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const credential = await appCredential(app, caller, gateway);
  try {
    return await work(upstreamOf(app, credential, caller, gateway));
  } catch (cause) {
    if (!(cause instanceof UpstreamRefusal) || cause.status !== 401) throw cause;
    const renewed = await renewCredential(credential, appDestination(app), caller, gateway);
    if (renewed === undefined) throw cause;
    return work(upstreamOf(app, renewed, caller, gateway));
  }
}
