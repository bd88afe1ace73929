import { sha256base64url } from "#sha256";
import type { ConnectionConfiguration, McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { abortWith } from "../../kernel/abort.ts";
import type { InstanceStops } from "../../stops/instance-stops.ts";
import { tracedFetch } from "../../telemetry/http-client.ts";
import type { AgentSide } from "../../upstream/agent-side.ts";
import type { UpstreamAnswer } from "../../upstream/answer.ts";
import type { GivenLinks } from "../../upstream/catalog/given-links.ts";
import { forward } from "../../upstream/forward.ts";
import { UpstreamRefusal } from "../../upstream/refusal.ts";
import type { UpstreamRequest } from "../../upstream/spoken-upstream.ts";
import type { ProxyState, Upstream } from "../../upstream/upstream.ts";
import { UpstreamFailure } from "../../upstream/wire/upstream-failure.ts";
import type { CredentialCall, CredentialTerms } from "../credentials/credentials.ts";
import { fetchWithoutEcho } from "../credentials/echoed-token.ts";
import { exchangeTerms } from "../credentials/exchange.ts";
import { connectionTerms, insufficientScope } from "../credentials/person-token.ts";
import { upstreamHeaders } from "../credentials/upstream-headers.ts";
import { STOPPED, stoppedMessage } from "../decision/stop.ts";
import { GatewayError } from "../gateway-error.ts";
import { type Identity, principalOf } from "../identity.ts";
import {
  bearer,
  type CredentialPorts,
  carriesNothing,
  NONE,
  renewCredential,
  unobtained,
} from "../obtain-credential.ts";
import { stopOfCalled } from "../stopped.ts";
import type { OutboundCredential, ToolCall } from "../tool-call.ts";

export type ForwardingPorts = ReachingPorts & CredentialPorts & StopPorts;

interface StopPorts {
  readonly instanceStops: Pick<InstanceStops, "current" | "watch">;
}

/** Where a request goes, and what its credential is made of. */
interface Destination extends Omit<CredentialTerms, "app"> {
  readonly app: McpProxyAppConfiguration;
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
  ports: ForwardingPorts,
): Promise<UpstreamAnswer> {
  const upstreamWith = (carried: OutboundCredential): Upstream => ({
    ...upstreamOf(destination.app, carried, caller, ports),
    renewed: async () => {
      const renewed = await renewCredential(carried, destination, caller, ports);
      return renewed && upstreamWith(renewed);
    },
  });
  const send = (carried: OutboundCredential) => forward(request, upstreamWith(carried));
  try {
    return await send(credential);
  } catch (cause) {
    if (!(cause instanceof UpstreamRefusal)) throw cause;
    if (cause.status !== 401) throw scopesWanted(cause, credential, destination.app) ?? cause;
    const renewed = await renewCredential(credential, destination, caller, ports);
    if (renewed === undefined) throw cause;
    return send(renewed);
  }
}

/** Whoever answers 403 for want of scopes has done nothing yet: it is as if the person had not connected. */
function scopesWanted(
  { status, challenge }: UpstreamRefusal,
  credential: OutboundCredential,
  { name }: McpProxyAppConfiguration,
): GatewayError | undefined {
  const needs = insufficientScope(status, challenge, credential);
  return needs && unobtained({ outcome: "not_connected", needs }, name);
}

/**
 * What requests carry that are for no tool: lists, sessions, answers. A token is exchanged as for a tool without a name: with
 * the scopes of an entry whose pattern takes any text, else without scopes. Nothing is recorded, as no tool is called.
 *
 * @throws GatewayError `stopped`, and as `obtainCredential` does
 */
export async function appCredential(
  app: McpProxyAppConfiguration,
  caller: CredentialCall,
  ports: CredentialPorts & StopPorts,
): Promise<OutboundCredential> {
  const stop = stopOfCalled(await ports.instanceStops.current(caller.request.waitUntil), app);
  if (stop !== undefined) throw new GatewayError(STOPPED.code, stoppedMessage(stop));
  const destination = appDestination(app);
  if (carriesNothing(destination)) return NONE;
  const outcome = await ports.credentials.obtain(destination, caller);
  if (outcome.outcome !== "obtained") throw unobtained(outcome, app.name);
  return bearer(outcome);
}

/** The signal, which also aborts as soon as an administrator stops the app or its server. */
export function whileOpen(
  app: McpProxyAppConfiguration,
  signal: AbortSignal,
  { instanceStops }: StopPorts,
): { readonly signal: AbortSignal; readonly isStopped: () => boolean; readonly done: () => void } {
  const ending = new AbortController();
  const forget = abortWith(ending, signal);
  let isStopped = false;
  const unwatch = instanceStops.watch(
    (index) => stopOfCalled(index, app) !== undefined,
    () => {
      isStopped = true;
      ending.abort("stopped");
    },
  );
  return {
    signal: ending.signal,
    isStopped: () => isStopped,
    done: () => {
      forget();
      unwatch();
    },
  };
}

export function stoppedUpstream(): UpstreamFailure {
  return new UpstreamFailure("stopped", STOPPED.message);
}

/** The app, and what tokens are obtained for where a request is for none of its tools; also for `renewCredential`. */
export function appDestination(app: McpProxyAppConfiguration): Destination {
  return { app, terms: exchangeTerms(app)(""), connection: connectionTerms(app)("") };
}

/**
 * Does something at an upstream that is for none of its tools. Whoever answers 401 has done nothing yet: with another token it
 * is tried once more (checklist 29).
 *
 * @throws GatewayError where there is no credential; what the work rejects with
 */
export async function atUpstream<T>(
  app: McpProxyAppConfiguration,
  caller: UpstreamCaller,
  ports: ForwardingPorts,
  work: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const credential = await appCredential(app, caller, ports);
  try {
    return await work(upstreamOf(app, credential, caller, ports));
  } catch (cause) {
    if (!(cause instanceof UpstreamRefusal) || cause.status !== 401) throw cause;
    const renewed = await renewCredential(credential, appDestination(app), caller, ports);
    if (renewed === undefined) throw cause;
    return work(upstreamOf(app, renewed, caller, ports));
  }
}

/** Who sends a request to an upstream, and how long it is wanted. */
export type UpstreamCaller = Pick<ToolCall, "identity" | "token" | "request" | "signal"> & {
  readonly agent: AgentSide;
};

/** What it takes to reach upstream MCP servers. */
interface ReachingPorts {
  /** Connections as an entry of `tls` says, made and kept as `connection` does. */
  readonly outbound: (tls?: string, connection?: ConnectionConfiguration) => typeof globalThis.fetch;
  readonly proxies: ProxyState;
}

/** The upstream of an app for one request, which carries the credential; what identifies the caller wins over configured headers. */
function upstreamOf(
  app: McpProxyAppConfiguration,
  credential: OutboundCredential,
  { identity, request, signal, agent }: UpstreamCaller,
  { outbound, proxies }: ReachingPorts,
): Upstream {
  const configured = upstreamHeaders(app.headers ?? [], { identity, requestId: request.requestId });
  const connect = outbound(app.tls, app.connection);
  const { token, want } = credential;
  const fetch = token !== undefined && want !== undefined ? fetchWithoutEcho(connect, token) : connect;
  return {
    app,
    agent,
    principal: upstreamPrincipal(app, identity),
    request,
    fetch: tracedFetch(fetch, request.telemetry, () => new URL(app.url).pathname),
    headers: { ...configured, ...credential.headers },
    signal,
    shared: proxies,
  };
}

/** Keeps in mind which resources an upstream links to in what it answers the caller. */
export function tellLinks(
  app: McpProxyAppConfiguration,
  { identity }: Pick<UpstreamCaller, "identity">,
  { proxies }: { readonly proxies: { readonly givenLinks: GivenLinks } },
): (uri: string) => void {
  const principal = upstreamPrincipal(app, identity);
  return (uri) => proxies.givenLinks.add(app.name, principal, uri);
}

/**
 * Whom an app's upstream takes a request to be of, as one text; empty where nobody is authenticated. Where configured headers tell it
 * claims of the person, such as a tenant, tokens of one principal that differ in these are of two (checklist 39).
 */
export function upstreamPrincipal(
  { headers = [] }: Pick<McpProxyAppConfiguration, "headers">,
  identity: Identity | undefined,
): string {
  const principal = principalOf(identity);
  const telling = headers.filter(({ parts }) => parts.some((part) => "user" in part));
  if (identity === undefined || telling.length === 0) return principal;
  const told = JSON.stringify(upstreamHeaders(telling, { identity, requestId: "" }));
  return JSON.stringify([principal, sha256base64url(told)]);
}
