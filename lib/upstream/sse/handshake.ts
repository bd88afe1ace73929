import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { isSessionRevision, LATEST_SESSION_REVISION } from "../../protocol/mcp/revisions.ts";
import { withoutQuestions } from "../across-generations/input-requests.ts";
import type { Deadline } from "../deadline.ts";
import { SILENT } from "../deliver.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { agreedRevision } from "../session/open-session.ts";
import type { Upstream } from "../upstream.ts";
import { brokenOff, tooLarge } from "../wire/upstream-failure.ts";
import { type Connection, connect } from "./connection.ts";
import { exchange } from "./sse-exchange.ts";

/** Bytes of a message that is looked at as a whole. */
const HELD = 64 * 1024;

/**
 * A connection on which requests may be sent: the upstream knows the agent, and which log messages it asked for.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function openConnection(upstream: Upstream, deadline: Deadline): Promise<Connection> {
  const connection = await connect(upstream, deadline);
  try {
    await introduce(connection, upstream, deadline);
    return connection;
  } catch (cause) {
    connection.close();
    throw cause;
  }
}

async function introduce(connection: Connection, upstream: Upstream, deadline: Deadline): Promise<void> {
  const { agent, app, principal, shared } = upstream;
  const asked = isSessionRevision(agent.protocolVersion) ? agent.protocolVersion : LATEST_SESSION_REVISION;
  const ask = (method: string, params: JsonObject) => resultOf(connection, { method, params }, upstream, deadline);
  const said = await ask("initialize", {
    protocolVersion: asked,
    capabilities: usableCapabilities(upstream),
    clientInfo: agent.clientInfo,
  });
  if (isJsonObject(said.error)) throw new UpstreamRefusal({ status: 200, error: said.error });
  if (!isJsonObject(said.result)) throw brokenOff();
  connection.agreeOn(agreedRevision(said.result, asked));
  shared.introductions.learn(app.name, principal, "session", said.result);
  const signal = AbortSignal.any([upstream.signal, deadline.signal]);
  await connection.post({ method: "notifications/initialized" }, upstream, signal);
  // An upstream without log messages refuses, which changes nothing.
  if (agent.logLevel !== undefined) await ask("logging/setLevel", { level: agent.logLevel });
}

async function resultOf(
  connection: Connection,
  { method, params }: { readonly method: string; readonly params: JsonObject },
  upstream: Upstream,
  deadline: Deadline,
): Promise<JsonObject> {
  const openAnswer = () => {
    throw tooLarge(`The answer to ${method}`, HELD);
  };
  const agent = { ...upstream.agent, hearsRequests: false, openAnswer };
  const request = { id: method, method, params, rules: {} };
  const { forwarded } = await exchange(connection, request, { ...upstream, agent }, SILENT, deadline);
  const message: unknown = forwarded.kind === "message" ? JSON.parse(forwarded.text) : undefined;
  return isJsonObject(message) ? message : {};
}

/** Requests of the upstream reach the agents of sessions, where streams are held open. */
function usableCapabilities({ agent, shared }: Upstream): JsonObject {
  const isReached = agent.session !== undefined && shared.sessionChannel !== undefined;
  return isReached ? agent.clientCapabilities : withoutQuestions(agent.clientCapabilities);
}
