import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { causeOf } from "../../logging/cause.ts";
import { isRequestId, type RpcNotification, type RpcResponse } from "../../protocol/mcp/message.ts";
import type { SessionChannel } from "../../stores/session-channel.ts";
import { inTime } from "../../upstream/catalog/in-time.ts";
import { relatedTask, taskOwners, withOwnTask } from "../../upstream/names/task-id.ts";
import { isWaitingId, upstreamId } from "../../upstream/request-ids.ts";
import { notify } from "../../upstream/session/open-session.ts";
import { parseExact } from "../../upstream/wire/exact-json.ts";
import type { PolicyCaller } from "../decision/policy-input.ts";
import { GatewayError } from "../gateway-error.ts";
import type { ProxyPorts } from "./ask.ts";
import { visibleProxies } from "./proxies.ts";
import { agentBehind, atConnections, atSessions, type SessionCaller, type SessionWork } from "./session-upstreams.ts";
import { deliverUse, type UsePorts } from "./use/forward-use.ts";
import type { UpstreamUse } from "./use/use.ts";

export type IncomingPorts = ProxyPorts & UsePorts & { readonly sessionChannel?: SessionChannel | undefined };

/** Whoever tells something in its session. */
export type TellingCaller = SessionCaller &
  Pick<PolicyCaller, "http"> & {
    /** The message as it was written; absent for batches. */
    readonly text?: string | undefined;
  };

/** An agent's answer goes to whoever asked: the request of ours that waits for it, or the upstream in the caller's own session. */
export async function takeAnswer(
  { id, message }: RpcResponse,
  caller: TellingCaller,
  ports: IncomingPorts,
): Promise<void> {
  const exact = exactly(message, ["result", "error"], caller);
  if (isWaitingId(id)) {
    const { sessionHash } = caller.session.reference;
    await ports.sessionChannel?.publish(sessionHash, { kind: "response", id, message: exact });
    return;
  }
  const asked = upstreamId(id);
  if (asked === undefined) return;
  const { app, id: upstreamsId } = asked;
  void pass({ ...withOwn("result", exact, app, ports), id: upstreamsId }, app, caller, ports);
}

/**
 * An agent's notification goes to the upstreams that it is for: progress to the one that asked for it, others of MCP to every
 * upstream that the session has a session at, or to the one whose task it is about. Any other goes to those whose configuration
 * names it. Resolves when it is there, or soon: what a client sends next should not be first.
 */
export async function takeNotification(
  told: RpcNotification,
  caller: TellingCaller,
  ports: IncomingPorts,
): Promise<void> {
  const { method, params } = told;
  if (method === ROOTS_CHANGED && caller.session.record.clientCapabilities.roots === undefined) return;
  const message = { method, ...exactly({ params }, ["params"], caller) };
  if (!OF_MCP.has(method)) return tellNamed(message, caller, ports);
  const passing =
    method === "notifications/progress"
      ? passProgress(message, params.progressToken, caller, ports)
      : passNotification(message, caller, ports);
  // Whoever is late gets it all the same.
  await inTime(PATIENCE, passing).catch(() => undefined);
}

/** Those of agents that MCP has. Servers of the field carry out any other message as a request, with an id or without. */
const OF_MCP: ReadonlySet<string> = new Set([
  "notifications/progress",
  "notifications/roots/list_changed",
  "notifications/tasks/status",
]);

/** A notification that is not MCP's is decided on and recorded as a request is, for each upstream whose configuration names it. */
async function tellNamed(
  message: JsonObject & { readonly method: string },
  caller: TellingCaller,
  ports: IncomingPorts,
): Promise<void> {
  const { method } = message;
  const { session } = caller;
  const owner = taskOwner(message, ports);
  const apps = await visibleProxies(caller.identity, ports);
  for (const app of apps) {
    if (app.methods?.includes(method) !== true || (owner !== undefined && app.name !== owner)) continue;
    const params = isJsonObject(message.params) ? message.params : {};
    const use: UpstreamUse = { app, method, params, subject: { kind: "method" } };
    const asking = { ...agentBehind(caller, ports), http: caller.http, sessionId: session.record.sessionHash };
    const delivered = deliverUse(use, asking, ports, async () => {
      const passing = pass(withOwn("params", message, app.name, ports), app.name, caller, ports);
      return (await inTime(PATIENCE, passing).catch(() => true)) ? DELIVERED : UNDELIVERED;
    });
    // What cannot be recorded is not sent, as the log says; there is nobody to answer.
    await delivered.catch((cause: unknown) => {
      if (!(cause instanceof GatewayError)) throw cause;
    });
  }
}

const DELIVERED = { outcome: "success" } as const;
const UNDELIVERED = { outcome: "upstream_error", reason: "not_delivered" } as const;

/** How long an agent waits for its upstreams, milliseconds. */
const PATIENCE = 1_000;

async function passProgress(
  message: JsonObject,
  token: unknown,
  caller: TellingCaller,
  ports: IncomingPorts,
): Promise<void> {
  const asked = isRequestId(token) ? upstreamId(token) : undefined;
  if (asked === undefined || !isJsonObject(message.params)) return;
  const params = { ...message.params, progressToken: asked.id };
  await pass(withOwn("params", { ...message, params }, asked.app, ports), asked.app, caller, ports);
}

async function passNotification(message: JsonObject, caller: TellingCaller, ports: IncomingPorts): Promise<unknown> {
  const owner = taskOwner(message, ports);
  if (owner === undefined) return pass(message, undefined, caller, ports);
  return pass(withOwn("params", message, owner, ports), owner, caller, ports);
}

/** Name of the app whose task a notification is about; undefined: that of none in particular. */
function taskOwner({ params }: JsonObject, { proxies }: IncomingPorts): string | undefined {
  const related = isJsonObject(params) ? relatedTask(params) : undefined;
  const named = proxies.apps.filter(({ namespace }) => namespace !== "");
  const [owner] = related === undefined ? [] : taskOwners(named, related);
  return owner?.app.name;
}

/** An upstream's task in the `_meta` of an answer or a notification, by the upstream's own id. */
function withOwn(
  member: "result" | "params",
  message: JsonObject,
  name: string,
  { proxies }: IncomingPorts,
): JsonObject {
  const { [member]: sent } = message;
  const app = proxies.apps.find((one) => one.name === name);
  return app === undefined || !isJsonObject(sent) ? message : { ...message, [member]: withOwnTask(sent, app) };
}

const ROOTS_CHANGED = "notifications/roots/list_changed";

/**
 * The agent learns nothing of what becomes of it. Does not reject for an upstream's sake.
 *
 * @param to name of an app; undefined: all
 * @returns whether it arrived wherever it was sent
 */
function pass(
  message: JsonObject,
  to: string | undefined,
  caller: TellingCaller,
  ports: IncomingPorts,
): Promise<boolean> {
  const { request, session } = caller;
  const method = typeof message.method === "string" ? message.method : "an answer";
  let hasArrived = true;
  const work: SessionWork = {
    at: (at, upstream, signal) => notify(at, message, upstream, signal),
    failed: (app, cause) => {
      hasArrived = false;
      request.logger.warn("an agent's message did not reach its upstream", { app, method, cause: causeOf(cause) });
    },
  };
  const isMeant = ({ name }: { readonly name: string }) => to === undefined || name === to;
  const passing = [
    atSessions(session.record.upstreams, work, caller, ports, isMeant),
    atConnections({ message, isMeant, failed: work.failed }, caller, ports),
  ];
  const passed = Promise.all(passing).then(() => undefined);
  request.waitUntil(passed);
  return passed.then(() => hasArrived);
}

/**
 * These members, with numbers as they were written; those of a batch are as parsed. No other goes on: where a server reads
 * `Method` as `method`, an answer or a notification would be a request.
 */
function exactly(message: JsonObject, members: readonly string[], { text }: TellingCaller): JsonObject {
  const exact: unknown = text === undefined ? undefined : parseExact(text);
  const source = isJsonObject(exact) ? exact : message;
  return Object.fromEntries(members.flatMap((name) => (Object.hasOwn(source, name) ? [[name, source[name]]] : [])));
}
