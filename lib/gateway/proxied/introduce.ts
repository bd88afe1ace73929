import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { causeOf } from "../../logging/cause.ts";
import type { Caller } from "../../mcp/caller.ts";
import { inTime } from "../../proxy/catalog/in-time.ts";
import type { Introduction } from "../../proxy/channel/introductions.ts";
import { listenFor } from "../../proxy/channel/subscriptions.ts";
import { type Deadline, startDeadline } from "../../proxy/deadline.ts";
import { forward } from "../../proxy/forward.ts";
import { generationOf } from "../../proxy/generation.ts";
import { guarded } from "../../proxy/guard/guarded.ts";
import { endSession } from "../../proxy/session/end.ts";
import { ensureSession } from "../../proxy/session/ensure.ts";
import { openSession } from "../../proxy/session/open.ts";
import { discover } from "../../proxy/stateless/discover.ts";
import type { Upstream } from "../../proxy/upstream.ts";
import type { Gateway } from "../gateway.ts";
import { agentBehind } from "./agent-behind.ts";
import { atUpstream } from "./at-upstream.ts";
import { upstreamPrincipal } from "./upstream-principal.ts";
import { visibleProxies } from "./visible-proxies.ts";

/** What is known of an app's upstream. */
export interface Introduced {
  readonly app: McpProxyAppConfiguration;
  /** Absent: it did not say anything yet. */
  readonly said: Introduction | undefined;
}

/** How long an agent waits for what upstreams say of themselves, milliseconds. */
const PATIENCE = 3_000;

/**
 * What the upstreams that the caller may see say of themselves, in the order of their apps. Those that did lately are not
 * waited for. In a session theirs begin, so that upstreams are heard before they are asked for anything.
 */
export async function introduceUpstreams(caller: Caller, gateway: Gateway): Promise<readonly Introduced[]> {
  const apps = await visibleProxies(caller.identity, gateway);
  return Promise.all(apps.map(async (app) => ({ app, said: await introduced(app, caller, gateway) })));
}

async function introduced(
  app: McpProxyAppConfiguration,
  caller: Caller,
  gateway: Gateway,
): Promise<Introduction | undefined> {
  const { request, session } = caller;
  const known = () => gateway.proxies.introductions.get(app.name, upstreamPrincipal(app, caller.identity));
  const before = known();
  const isHeard = session !== undefined && gateway.dependencies.sessionChannel !== undefined;
  if (before !== undefined && !isHeard) return before;
  const work = meet(app, caller, gateway);
  const tell = (cause: unknown) =>
    request.logger.warn("an upstream did not introduce itself", { app: app.name, cause: causeOf(cause) });
  request.waitUntil(work.catch(tell));
  if (before !== undefined) return before;
  // Why it failed is told already; whoever is late is known the next time.
  await inTime(PATIENCE, work).catch(() => undefined);
  return known();
}

/** Also when the agent leaves: what it says is kept for others. */
async function meet(app: McpProxyAppConfiguration, from: Caller, gateway: Gateway): Promise<void> {
  const caller = { ...from, signal: new AbortController().signal };
  const agent = agentBehind(caller, gateway);
  if (app.transport === "sse") {
    // Its handshake comes before whatever it is asked.
    const ping = { id: agent.agent.id, method: "ping", params: {}, rules: {} };
    await atUpstream(app, agent, gateway, (upstream) => forward(ping, upstream));
    return;
  }
  await atUpstream(app, agent, gateway, (upstream) =>
    guarded(upstream, async () => {
      const deadline = startDeadline(app.timeout);
      try {
        await meetAt(upstream, deadline);
      } finally {
        deadline.end();
      }
    }),
  );
}

async function meetAt(upstream: Upstream, deadline: Deadline): Promise<void> {
  const { app, agent, principal, shared } = upstream;
  const isKnown = () => shared.introductions.get(app.name, principal) !== undefined;
  const generation = await generationOf(upstream, deadline);
  if (generation === "stateless") {
    if (!isKnown()) await discover(upstream, deadline);
    if (agent.session !== undefined) await listenFor(agent.session, upstream);
  } else if (agent.session !== undefined) {
    await ensureSession(agent.session, upstream, deadline);
  } else if (!isKnown()) {
    const { session } = await openSession(upstream, deadline);
    await endSession(session, upstream);
  }
}
