import { isJsonObject } from "../json.ts";
import { METHOD_NOT_FOUND, UNSUPPORTED_VERSION } from "../mcp/json-rpc.ts";
import { isStatelessRevision } from "../mcp/revisions.ts";
import { upstreamOf } from "../stores/mcp-session-upstreams.ts";
import type { Deadline } from "./deadline.ts";
import type { Generation } from "./generations.ts";
import { UpstreamRefusal } from "./refusal.ts";
import { ensureSession } from "./session/ensure.ts";
import { discover } from "./stateless/discover.ts";
import type { Upstream } from "./upstream.ts";

/**
 * The generation in which an upstream is spoken to: the agent's own where it speaks that, else the other. Nothing that has an
 * effect is sent to find out.
 *
 * @throws UpstreamRefusal of one that speaks neither; UpstreamFailure
 */
export async function generationOf(upstream: Upstream, deadline: Deadline): Promise<Generation> {
  const { app, agent, principal, shared } = upstream;
  if (app.transport === "sse") return "session";
  const { generations } = shared;
  const known = generations.known(app.name, principal, agent.generation);
  if (known !== undefined) return known;
  const kept = upstreamOf(agent.session?.record.upstreams, app.name);
  if (kept !== undefined && isStatelessRevision(kept.protocolVersion)) return "stateless";
  const learn = (generation: Generation, speaks: boolean) => generations.learn(app.name, principal, generation, speaks);
  if (agent.generation === "stateless") {
    const speaks = await speaksStateless(upstream, deadline);
    learn("stateless", speaks);
    // Whatever is no server of this generation is one of the other, until it refuses that too.
    if (!speaks) learn("session", true);
    return speaks ? "stateless" : "session";
  }
  const refusal = await refusesSession(upstream, deadline);
  learn("session", refusal === undefined);
  if (refusal === undefined) return "session";
  if (!(await speaksStateless(upstream, deadline))) throw refusal;
  learn("stateless", true);
  return "stateless";
}

async function speaksStateless(upstream: Upstream, deadline: Deadline): Promise<boolean> {
  try {
    const { supportedVersions } = await discover(upstream, deadline);
    return Array.isArray(supportedVersions) && supportedVersions.some(isStatelessRevision);
  } catch (cause) {
    if (cause instanceof UpstreamRefusal && !isAboutCaller(cause)) return false;
    throw cause;
  }
}

/** Why the upstream begins no session, if that is because it knows none. */
async function refusesSession(upstream: Upstream, deadline: Deadline): Promise<UpstreamRefusal | undefined> {
  const { session } = upstream.agent;
  // Without a session of its own the agent's requests begin one each, which is soon enough.
  if (session === undefined) return undefined;
  try {
    await ensureSession(session, upstream, deadline);
    return undefined;
  } catch (cause) {
    if (cause instanceof UpstreamRefusal && isWithoutSessions(cause)) return cause;
    throw cause;
  }
}

/** The credential, the load or the state of the server: nothing that tells of a generation. */
function isAboutCaller({ status }: UpstreamRefusal): boolean {
  return status === 401 || status === 403 || status === 429 || status >= 500;
}

/** `initialize` is unknown, or its revision: what servers of the stateless generation say. */
function isWithoutSessions({ status, error }: UpstreamRefusal): boolean {
  if (error === undefined) return status === 404 || status === 405;
  const names = isJsonObject(error.data) ? error.data.supported : undefined;
  return error.code === METHOD_NOT_FOUND || error.code === UNSUPPORTED_VERSION || Array.isArray(names);
}
