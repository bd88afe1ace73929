import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { causeOf } from "../../logging/cause.ts";
import type { SessionChannel } from "../../stores/session-channel.ts";
import { inTime } from "../../upstream/catalog/in-time.ts";
import type { Introduction } from "../../upstream/channel/introductions.ts";
import { listenFor } from "../../upstream/channel/subscriptions.ts";
import { type Deadline, startDeadline } from "../../upstream/deadline.ts";
import { forward } from "../../upstream/forward.ts";
import { generationOf } from "../../upstream/generation.ts";
import { guarded } from "../../upstream/guard/guarded.ts";
import { endSession } from "../../upstream/session/end-session.ts";
import { ensureSession } from "../../upstream/session/ensure-session.ts";
import { openSession } from "../../upstream/session/open-session.ts";
import { discover } from "../../upstream/stateless-request.ts";
import type { Upstream } from "../../upstream/upstream.ts";
import { GatewayError } from "../gateway-error.ts";
import type { ProxyPorts } from "./ask.ts";
import { visibleProxies } from "./proxies.ts";
import { atUpstream, upstreamPrincipal } from "./reach-upstream.ts";
import { type AgentCaller, agentBehind } from "./session-upstreams.ts";

export type IntroducingPorts = ProxyPorts & { readonly sessionChannel?: SessionChannel | undefined };

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
export async function introduceUpstreams(caller: AgentCaller, ports: IntroducingPorts): Promise<readonly Introduced[]> {
  const apps = await visibleProxies(caller.identity, ports);
  return Promise.all(apps.map(async (app) => ({ app, said: await introduced(app, caller, ports) })));
}

async function introduced(
  app: McpProxyAppConfiguration,
  caller: AgentCaller,
  ports: IntroducingPorts,
): Promise<Introduction | undefined> {
  const { request, session } = caller;
  const principal = upstreamPrincipal(app, caller.identity);
  const { generations, introductions } = ports.proxies;
  const known = () => {
    const own = app.transport === "sse" ? "session" : caller.agentIn(session).generation;
    return introductions.get(app.name, principal, generations.known(app.name, principal, own) ?? own);
  };
  const before = known();
  const isHeard = session !== undefined && ports.sessionChannel !== undefined;
  if (before !== undefined && !isHeard) return before;
  const work = meet(app, caller, ports);
  const tell = (cause: unknown) => {
    // Before its person has connected nobody asks it.
    if (cause instanceof GatewayError && cause.needs !== undefined) return;
    request.logger.warn("an upstream did not introduce itself", { app: app.name, cause: causeOf(cause) });
  };
  request.waitUntil(work.catch(tell));
  if (before !== undefined) return before;
  // Why it failed is told already; whoever is late is known the next time.
  await inTime(PATIENCE, work).catch(() => undefined);
  return known();
}

/** Also when the agent leaves: what it says is kept for others. */
async function meet(app: McpProxyAppConfiguration, from: AgentCaller, ports: IntroducingPorts): Promise<void> {
  const caller = { ...from, signal: new AbortController().signal };
  const agent = agentBehind(caller, ports);
  if (app.transport === "sse") {
    // Its handshake comes before whatever it is asked.
    const ping = { id: agent.agent.id, method: "ping", params: {}, rules: {} };
    await atUpstream(app, agent, ports, (upstream) => forward(ping, upstream));
    return;
  }
  await atUpstream(app, agent, ports, (upstream) =>
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
  const generation = await generationOf(upstream, deadline);
  const isKnown = () => shared.introductions.get(app.name, principal, generation) !== undefined;
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
