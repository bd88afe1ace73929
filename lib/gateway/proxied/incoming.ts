import { isJsonObject, type JsonObject } from "../../json.ts";
import { causeOf } from "../../logging/cause.ts";
import type { Caller } from "../../mcp/caller.ts";
import { isRequestId, type RpcNotification, type RpcResponse } from "../../mcp/message.ts";
import { inTime } from "../../proxy/catalog/in-time.ts";
import { relatedTask, taskOwners, withOwnTask } from "../../proxy/names/task-id.ts";
import { isWaitingId, upstreamId } from "../../proxy/request-ids.ts";
import { notify } from "../../proxy/session/open.ts";
import { parseExact } from "../../proxy/wire/exact-json.ts";
import type { Gateway } from "../gateway.ts";
import { atConnections } from "./at-connections.ts";
import { atSessions, type SessionCaller, type SessionWork } from "./session-upstreams.ts";

/** An agent's answer goes to whoever asked: the request of ours that waits for it, or the upstream in the caller's own session. */
export async function takeAnswer({ id, message }: RpcResponse, caller: SessionCaller, gateway: Gateway): Promise<void> {
  const exact = exactly(message, ["result", "error"], caller);
  if (isWaitingId(id)) {
    const { sessionHash } = caller.session.reference;
    await gateway.dependencies.sessionChannel?.publish(sessionHash, { kind: "response", id, message: exact });
    return;
  }
  const asked = upstreamId(id);
  if (asked === undefined) return;
  const { app, id: upstreamsId } = asked;
  void pass({ ...withOwn("result", exact, app, gateway), id: upstreamsId }, app, caller, gateway);
}

/**
 * An agent's notification goes to the upstreams that it is for: progress to the one that asked for it, all others to every
 * upstream that the session has a session at, or to the one whose task it is about. Resolves when it is there, or soon: what a client sends next should not be first.
 */
export async function takeTold(told: RpcNotification, caller: SessionCaller, gateway: Gateway): Promise<void> {
  const { method, params } = told;
  // By any other name it would be a request that nobody has decided on: servers of the field carry those out without an id as well.
  if (!method.startsWith("notifications/")) return;
  if (method === ROOTS_CHANGED && caller.session.record.clientCapabilities.roots === undefined) return;
  const message = { method, ...exactly({ params }, ["params"], caller) };
  const passing =
    method === "notifications/progress"
      ? passProgress(message, params.progressToken, caller, gateway)
      : passTold(message, caller, gateway);
  // Whoever is late gets it all the same.
  await inTime(PATIENCE, passing).catch(() => undefined);
}

/** How long an agent waits for its upstreams, milliseconds. */
const PATIENCE = 1_000;

async function passProgress(
  message: JsonObject,
  token: unknown,
  caller: SessionCaller,
  gateway: Gateway,
): Promise<void> {
  const asked = isRequestId(token) ? upstreamId(token) : undefined;
  if (asked === undefined || !isJsonObject(message.params)) return;
  const params = { ...message.params, progressToken: asked.id };
  await pass(withOwn("params", { ...message, params }, asked.app, gateway), asked.app, caller, gateway);
}

async function passTold(message: JsonObject, caller: SessionCaller, gateway: Gateway): Promise<void> {
  const related = isJsonObject(message.params) ? relatedTask(message.params) : undefined;
  const named = gateway.proxies.apps.filter(({ namespace }) => namespace !== "");
  const [owner] = related === undefined ? [] : taskOwners(named, related);
  if (owner === undefined) return pass(message, undefined, caller, gateway);
  const { name } = owner.app;
  return pass(withOwn("params", message, name, gateway), name, caller, gateway);
}

/** An upstream's task in the `_meta` of an answer or a notification, by the upstream's own id. */
function withOwn(member: "result" | "params", message: JsonObject, name: string, { proxies }: Gateway): JsonObject {
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
function pass(message: JsonObject, to: string | undefined, caller: SessionCaller, gateway: Gateway): Promise<void> {
  const { request, session } = caller;
  const method = typeof message.method === "string" ? message.method : "an answer";
  const work: SessionWork = {
    at: (at, upstream, signal) => notify(at, message, upstream, signal),
    failed: (app, cause) =>
      request.logger.warn("an agent's message did not reach its upstream", { app, method, cause: causeOf(cause) }),
  };
  const isMeant = ({ name }: { readonly name: string }) => to === undefined || name === to;
  const passing = [
    atSessions(session.record.upstreams, work, caller, gateway, isMeant),
    atConnections({ message, isMeant, failed: work.failed }, caller, gateway),
  ];
  const passed = Promise.all(passing).then(() => undefined);
  request.waitUntil(passed);
  return passed;
}

/**
 * These members, with numbers as they were written; those of a batch are as parsed. No other goes on: where a server reads
 * `Method` as `method`, an answer or a notification would be a request.
 */
function exactly(message: JsonObject, members: readonly string[], { text }: Caller): JsonObject {
  const exact: unknown = text === undefined ? undefined : parseExact(text);
  const source = isJsonObject(exact) ? exact : message;
  return Object.fromEntries(members.flatMap((name) => (Object.hasOwn(source, name) ? [[name, source[name]]] : [])));
}
