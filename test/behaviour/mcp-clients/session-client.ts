import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as OldSseTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as OldStreamTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as OldTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { type RecordedFetch, recordedFetch } from "./recorded-fetch.ts";

/** A client of the session generation that is connected, whichever SDK it is made of. */
export interface SessionClient extends Pick<RecordedFetch, "exchanges"> {
  /** Of the stream transport; the legacy one keeps its id to itself. */
  readonly sessionId: string | undefined;
  readonly protocolVersion: string | undefined;
  /** Levels of the log messages that it was sent. */
  readonly logged: readonly string[];
  ping(): Promise<unknown>;
  toolNames(): Promise<readonly string[]>;
  call(tool: string, given?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<unknown>;
  setLoggingLevel(level: "debug" | "info" | "warning"): Promise<unknown>;
  /** DELETE; the client stays. */
  terminate(): Promise<void>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: () => void;
}

export interface Connection {
  readonly url: string;
  readonly token: string;
  readonly transport?: "stream" | "sse";
  /** A session that exists: there is no handshake. */
  readonly session?: { readonly id: string; readonly protocolVersion: string };
}

/** Each SDK's way to connect; the names are those of the tests. */
export const SESSION_CLIENTS: readonly (readonly [
  name: string,
  connect: (connection: Connection) => Promise<SessionClient>,
])[] = [
  ["version 2 of the SDK", connectNew],
  ["version 1 of the SDK", connectOld],
];

const IMPLEMENTATION = { name: "test", version: "1" };

async function connectNew(connection: Connection): Promise<SessionClient> {
  const { fetch, exchanges } = recordedFetch();
  const client = new Client(IMPLEMENTATION, { versionNegotiation: { mode: "legacy" } });
  const logged: string[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => void logged.push(params.level));
  const { url, token, session } = connection;
  const options = { fetch, requestInit: { headers: { authorization: `Bearer ${token}` } } };
  const stream = new StreamableHTTPClientTransport(new URL(url), { ...options, ...resumed(session) });
  await client.connect(connection.transport === "sse" ? new SSEClientTransport(new URL(url), options) : stream);
  return {
    exchanges,
    logged,
    get sessionId() {
      return stream.sessionId;
    },
    protocolVersion: client.getNegotiatedProtocolVersion(),
    ping: () => client.ping(),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (tool, given = {}, callOptions = {}) =>
      client.callTool({ name: `upstream_${tool}`, arguments: given }, callOptions),
    setLoggingLevel: (level) => client.setLoggingLevel(level),
    terminate: () => stream.terminateSession(),
    close: () => client.close(),
  };
}

async function connectOld(connection: Connection): Promise<SessionClient> {
  const { fetch, exchanges } = recordedFetch();
  const client = new OldClient(IMPLEMENTATION);
  const logged: string[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.level));
  const { url, token, session } = connection;
  const options = { fetch, requestInit: { headers: { authorization: `Bearer ${token}` } } };
  const stream = new OldStreamTransport(new URL(url), { ...options, ...(session && { sessionId: session.id }) });
  if (session !== undefined) stream.setProtocolVersion(session.protocolVersion);
  const transport = connection.transport === "sse" ? new OldSseTransport(new URL(url), options) : stream;
  // The SDK's own classes fit its own interface only without exactOptionalPropertyTypes.
  await client.connect(transport as OldTransport);
  return {
    exchanges,
    logged,
    get sessionId() {
      return stream.sessionId;
    },
    protocolVersion: stream.protocolVersion,
    ping: () => client.ping(),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (tool, given = {}, callOptions = {}) =>
      client.callTool({ name: `upstream_${tool}`, arguments: given }, undefined, callOptions),
    setLoggingLevel: (level) => client.setLoggingLevel(level),
    terminate: () => stream.terminateSession(),
    close: () => client.close(),
  };
}

function resumed(session: Connection["session"]) {
  return session && { sessionId: session.id, protocolVersion: session.protocolVersion };
}
