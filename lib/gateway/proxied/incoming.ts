import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { causeOf } from "../../logging/cause.ts";
import { isRequestId, type RpcNotification, type RpcResponse } from "../../protocol/mcp/message.ts";
import type { SessionChannel } from "../../stores/session-channel.ts";
import { inTime } from "../../upstream/catalog/in-time.ts";
import { relatedTask, taskOwners, withOwnTask } from "../../upstream/names/task-id.ts";
import { isWaitingId, upstreamId } from "../../upstream/request-ids.ts";
import { notify } from "../../upstream/session/open-session.ts";
import { parseExact } from "../../upstream/wire/exact-json.ts";
import type { ProxyPorts } from "./ask.ts";
import type { SessionCaller } from "./session-upstreams.ts";
import { atConnections, atSessions, type SessionWork } from "./session-upstreams.ts";

export type IncomingPorts = ProxyPorts & { readonly sessionChannel?: SessionChannel | undefined };

/** Whoever tells something in its session. */
export type TellingCaller = SessionCaller & {
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
 * An agent's notification goes to the upstreams that it is for: progress to the one that asked for it, all others to every
 * upstream that the session has a session at, or to the one whose task it is about. Resolves when it is there, or soon: what a client sends next should not be first.
 */
export async function takeNotification(
  told: RpcNotification,
  caller: TellingCaller,
  ports: IncomingPorts,
): Promise<void> {
  const { method, params } = told;
  // By any other name it would be a request that nobody has decided on: servers of the field carry those out without an id as well.
  if (!method.startsWith("notifications/")) return;
  if (method === ROOTS_CHANGED && caller.session.record.clientCapabilities.roots === undefined) return;
  const message = { method, ...exactly({ params }, ["params"], caller) };
  const passing =
    method === "notifications/progress"
      ? passProgress(message, params.progressToken, caller, ports)
      : passNotification(message, caller, ports);
  // Whoever is late gets it all the same.
  await inTime(PATIENCE, passing).catch(() => undefined);
}

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

async function passNotification(message: JsonObject, caller: TellingCaller, ports: IncomingPorts): Promise<void> {
  const related = isJsonObject(message.params) ? relatedTask(message.params) : undefined;
  const named = ports.proxies.apps.filter(({ namespace }) => namespace !== "");
  const [owner] = related === undefined ? [] : taskOwners(named, related);
  if (owner === undefined) return pass(message, undefined, caller, ports);
  const { name } = owner.app;
  return pass(withOwn("params", message, name, ports), name, caller, ports);
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
 */
function pass(message: JsonObject, to: string | undefined, caller: TellingCaller, ports: IncomingPorts): Promise<void> {
  const { request, session } = caller;
  const method = typeof message.method === "string" ? message.method : "an answer";
  const work: SessionWork = {
    at: (at, upstream, signal) => notify(at, message, upstream, signal),
    failed: (app, cause) =>
      request.logger.warn("an agent's message did not reach its upstream", { app, method, cause: causeOf(cause) }),
  };
  const isMeant = ({ name }: { readonly name: string }) => to === undefined || name === to;
  const passing = [
    atSessions(session.record.upstreams, work, caller, ports, isMeant),
    atConnections({ message, isMeant, failed: work.failed }, caller, ports),
  ];
  const passed = Promise.all(passing).then(() => undefined);
  request.waitUntil(passed);
  return passed;
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
