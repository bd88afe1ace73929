import type { McpProxyAppConfiguration } from "../config/app-configuration.ts";
import { givenUp, PROBE_LIMIT, ProbeFailure, type ServerAddress } from "../deployment/probing.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { VERSION } from "../kernel/version.ts";
import type { ToolAnnotations } from "../openapi/catalog.ts";
import { RpcError } from "../protocol/mcp/json-rpc.ts";
import { LATEST_SESSION_REVISION, STATELESS_REVISIONS } from "../protocol/mcp/revisions.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import { createAskAs } from "./ask.ts";
import { createCatalogs } from "./catalog/catalogs.ts";
import { annotationsOf } from "./catalog/expose-list.ts";
import type { ListKind } from "./catalog/kinds.ts";
import { type Ask, readList } from "./catalog/read-list.ts";
import type { Introductions } from "./channel/introductions.ts";
import { forward } from "./forward.ts";
import { createGenerations, type Generation } from "./generations.ts";
import { UpstreamRefusal } from "./refusal.ts";
import { leaveSession } from "./session/end-session.ts";
import type { UpstreamPorts } from "./upstream.ts";
import { UpstreamFailure } from "./wire/upstream-failure.ts";

/** What an MCP server says of itself. */
export interface AnsweredProbe {
  readonly outcome: "answered";
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly protocolVersion: string;
  readonly tools: readonly ProbedTool[];
  /** How many. */
  readonly prompts: number;
  readonly resources: number;
}

interface ProbedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: ToolAnnotations;
}

export interface ProbePorts extends Pick<UpstreamPorts, "clock" | "random" | "stores" | "configuration"> {
  readonly outbound: () => typeof globalThis.fetch;
}

/** Characters of JSON. */
const MOST_TOOLS = 1_000_000;

/**
 * Connects to an MCP server as apps of the configuration do, asks what it has, and ends the session. Nothing of it is kept.
 *
 * @param signal aborts when nobody waits any more
 * @throws ProbeFailure
 */
export async function probeServer(
  server: ServerAddress,
  request: RequestContext,
  ports: ProbePorts,
  signal: AbortSignal,
): Promise<AnsweredProbe | { readonly outcome: "unauthorized" }> {
  const met = createMeeting(server, request, ports, signal);
  try {
    const { entries } = await readList("tools", met.ask);
    const tools = entries.map(({ definition }) => toolOf(definition));
    if (JSON.stringify(tools).length > MOST_TOOLS)
      throw new ProbeFailure("too_large", "What the server says of its tools is larger than 1 MB.");
    const { generation, said } = met.introduction();
    const counted = (kind: "prompts" | "resources") => countOf(kind, said, met.ask);
    const [prompts, resources] = await Promise.all([counted("prompts"), counted("resources")]);
    return { outcome: "answered", ...identityOf(said, generation), tools, prompts, resources };
  } catch (cause) {
    if (cause instanceof UnauthorizedError) return { outcome: "unauthorized" };
    throw failureOf(cause, server, signal) ?? cause;
  } finally {
    met.leave();
  }
}

/** What one server is asked with: the first request begins a session where there are sessions, and all others are in it. */
function createMeeting(
  { url, transport, headers }: ServerAddress,
  request: RequestContext,
  ports: ProbePorts,
  signal: AbortSignal,
) {
  const { clock, random } = ports;
  const app = appAt(url, transport);
  let introduced: { readonly generation: Generation; readonly said: JsonObject } | undefined;
  let kept: Parameters<typeof leaveSession>[0] | undefined;
  const introductions: Introductions = {
    get: () => undefined,
    learn: (_app, _principal, generation, said) => {
      introduced = { generation, said };
    },
  };
  const shared = {
    ...{ clock, random, stores: ports.stores, configuration: ports.configuration, introductions },
    ...{ catalogs: createCatalogs(clock), generations: createGenerations(clock) },
    guard: { enter: async () => ({ end: ignore }), states: () => [] },
    sharedSessions: {
      use: () => kept && { session: kept, isIdle: false },
      keep: (_key: string, session: typeof kept) => {
        kept = session;
      },
    },
  };
  const common = { app, principal: "", request, fetch: ports.outbound(), headers, signal, shared };
  const ask = createAskAs(CLIENT, random, async (asked, agent) => {
    try {
      return await forward(asked, { ...common, agent });
    } catch (cause) {
      const isRefused = cause instanceof UpstreamRefusal && (cause.status === 401 || cause.status === 403);
      throw isRefused ? new UnauthorizedError() : cause;
    }
  });
  return {
    ask,
    introduction: () => {
      // A server that knows none of MCP's methods seems to have empty lists.
      if (introduced === undefined)
        throw new ProbeFailure(
          "not_mcp",
          "The server does not know the methods by which MCP servers introduce themselves.",
        );
      return introduced;
    },
    leave: () => {
      if (kept !== undefined)
        leaveSession(kept, {
          ...common,
          agent: { ...CLIENT, id: "", hearsRequests: false, relay: ignore, openAnswer },
        });
    },
  };
}

class UnauthorizedError extends Error {}

const CLIENT = {
  generation: "session",
  protocolVersion: LATEST_SESSION_REVISION,
  clientInfo: { name: "Countersign", version: VERSION },
  clientCapabilities: {},
  logLevel: undefined,
  params: () => ({}),
} as const;

function openAnswer(): never {
  throw new Error("nothing is answered when a session ends");
}

function ignore(): void {
  // Nobody hears of it.
}

function appAt({ href }: URL, transport: ServerAddress["transport"]): McpProxyAppConfiguration {
  return {
    ...{ type: "mcpProxy", name: "probe", namespace: "", transport, url: href, timeout: PROBE_LIMIT },
    // All requests share one session.
    ...{ concurrency: 1, shareable: true, inboundTools: [], stepUp: [], outbound: { type: "unprotected" } },
  };
}

function identityOf({ serverInfo, protocolVersion }: JsonObject, generation: Generation) {
  const { name, version, title } = isJsonObject(serverInfo) ? serverInfo : {};
  const spoken = generation === "stateless" ? STATELESS_REVISIONS[0] : protocolVersion;
  return {
    ...{ name: shortened(name), version: shortened(version) },
    ...(typeof title === "string" && { title: shortened(title) }),
    protocolVersion: typeof spoken === "string" ? shortened(spoken) : LATEST_SESSION_REVISION,
  };
}

function shortened(text: unknown): string {
  return typeof text === "string" ? text.slice(0, 200).toWellFormed() : "";
}

function toolOf({ name, title, description, annotations }: JsonObject): ProbedTool {
  return {
    name: String(name),
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(isJsonObject(annotations) && { annotations: annotationsOf(annotations) }),
  };
}

/** A server that fails at a list that it says to have has its tools all the same. */
async function countOf(kind: Extract<ListKind, "prompts" | "resources">, said: JsonObject, ask: Ask): Promise<number> {
  if (!isJsonObject(said.capabilities) || said.capabilities[kind] === undefined) return 0;
  try {
    return (await readList(kind, ask)).entries.length;
  } catch (cause) {
    if (cause instanceof RpcError) return 0;
    throw cause;
  }
}

/** Undefined for what is a defect of ours. */
function failureOf(cause: unknown, { transport }: ServerAddress, signal: AbortSignal): ProbeFailure | undefined {
  if (cause instanceof ProbeFailure) return cause;
  if (signal.aborted) return givenUp(signal, LATE);
  if (cause instanceof RpcError)
    return new ProbeFailure(`error_${cause.code}`, `The server answered with the JSON-RPC error ${cause.code}.`);
  if (cause instanceof UpstreamRefusal) return refusedWith(cause.status, transport);
  if (!(cause instanceof UpstreamFailure)) return undefined;
  return cause.reason === "aborted" ? new ProbeFailure("timeout", LATE) : new ProbeFailure(cause.reason, cause.message);
}

const LATE = `The server did not answer within ${PROBE_LIMIT / 1_000} s.`;

function refusedWith(status: number, transport: ServerAddress["transport"]): ProbeFailure {
  const advice =
    transport === "stream" && (status === 404 || status === 405)
      ? " That may be a wrong path, or a server of the older transport, sse."
      : "";
  return new ProbeFailure(`http_${status}`, `The server answered with the HTTP status ${status}.${advice}`);
}
