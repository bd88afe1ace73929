import { isStatelessRevision, LATEST_SESSION_REVISION } from "../protocol/mcp/revisions.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import type { Generation } from "./generations.ts";
import { isAboutCaller, UpstreamRefusal } from "./refusal.ts";
import { leaveSession } from "./session/end-session.ts";
import { ensureSession } from "./session/ensure-session.ts";
import { sessionAt } from "./session/kept-session.ts";
import { discover } from "./stateless-request.ts";
import type { Upstream } from "./upstream.ts";
import { UpstreamFailure } from "./wire/upstream-failure.ts";

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
  const kept = sessionAt(agent.session?.record.upstreams, upstream);
  if (kept !== undefined && isStatelessRevision(kept.protocolVersion)) return "stateless";
  const learn = (generation: Generation, speaks: boolean) => generations.learn(app.name, principal, generation, speaks);
  if (agent.generation === "stateless") {
    const speaks = await speaksStateless(upstream);
    learn("stateless", speaks);
    // Whatever is no server of this generation is one of the other, until it refuses that too.
    if (!speaks) learn("session", true);
    return speaks ? "stateless" : "session";
  }
  const refusal = await refusesSession(upstream, deadline);
  learn("session", refusal === undefined);
  if (refusal === undefined) return "session";
  if (!(await speaksStateless(upstream))) throw refusal;
  learn("stateless", true);
  return "stateless";
}

/**
 * The other generation, where an upstream refused a request as one of a generation that it does not speak any more: it was replaced by
 * another release. Nothing was carried out of such a request. Undefined where the upstream still speaks as it did.
 */
export async function otherGeneration(refused: Generation, upstream: Upstream): Promise<Generation | undefined> {
  const { app, principal, shared } = upstream;
  if (app.transport === "sse") return undefined;
  const speaks = await speaksStateless(upstream);
  if (speaks === (refused === "stateless")) return undefined;
  const { generations } = shared;
  generations.learn(app.name, principal, "stateless", speaks);
  generations.learn(app.name, principal, "session", !speaks);
  return speaks ? "stateless" : "session";
}

/** Why the upstream begins no session that we speak. */
async function refusesSession(upstream: Upstream, deadline: Deadline): Promise<Error | undefined> {
  const { session } = upstream.agent;
  // Without a session of its own the agent's requests begin one each, which is soon enough.
  if (session === undefined) return undefined;
  try {
    await ensureSession(session, upstream, deadline);
    return undefined;
  } catch (cause) {
    if (cause instanceof UpstreamRefusal && !isAboutCaller(cause)) return cause;
    if (cause instanceof UpstreamFailure && cause.reason === "other_revision") return cause;
    throw cause;
  }
}

/**
 * Whether an upstream serves a revision without sessions. Those that do not say so in many ways: they want a session id first, do not
 * know the version or the method, answer nothing at all, or fail.
 *
 * @throws UpstreamRefusal, UpstreamFailure where that is not to be found out
 */
async function speaksStateless(upstream: Upstream): Promise<boolean> {
  // What stays silent leaves time for the other generation.
  const deadline = startDeadline(upstream.app.timeout / 2);
  try {
    const { supportedVersions } = await discover(upstream, deadline);
    return Array.isArray(supportedVersions) && supportedVersions.some(isStatelessRevision);
  } catch (cause) {
    if (cause instanceof UpstreamRefusal && !isAboutCaller(cause)) {
      leaveBegun(cause, upstream);
      return false;
    }
    if (cause instanceof UpstreamFailure && isNoAnswer(cause, upstream)) return false;
    throw cause;
  } finally {
    deadline.end();
  }
}

/** A session that nobody asked for would take up room until it expires. */
function leaveBegun({ sessionId }: UpstreamRefusal, upstream: Upstream): void {
  if (sessionId !== undefined) leaveSession({ key: "", sessionId, protocolVersion: LATEST_SESSION_REVISION }, upstream);
}

/** It is there, and what came is no answer to the question. */
function isNoAnswer({ reason }: UpstreamFailure, { signal }: Upstream): boolean {
  return !signal.aborted && !["unreachable", "unanswered", "redirect"].includes(reason);
}
