import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { CallConnections, ConnectionWant } from "../../connections/person-connections.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isPlainName } from "../../kernel/plain-name.ts";
import { causeOf } from "../../logging/cause.ts";
import { notificationMessage } from "../../protocol/mcp/json-rpc.ts";
import { inTime } from "../../upstream/catalog/in-time.ts";
import { hold } from "../../upstream/channel/hold.ts";
import {
  isListening,
  listChangesIn,
  resourcesIn,
  tasksIn,
  togetherListened,
} from "../../upstream/channel/listen-filter.ts";
import { createListening } from "../../upstream/channel/listening.ts";
import { hasDotSegments } from "../../upstream/names/dot-segments.ts";
import { listenedOf } from "../../upstream/names/own-listen-filter.ts";
import { wrapURI } from "../../upstream/names/resource-uri.ts";
import { wrapTaskId } from "../../upstream/names/task-id.ts";
import type { DecisionPorts } from "../decision/step.ts";
import { GatewayError } from "../gateway-error.ts";
import { stopOfCalled } from "../stopped.ts";
import type { ProxyPorts } from "./ask.ts";
import { findResource } from "./find-listed.ts";
import { visibleProxies } from "./proxies.ts";
import { atUpstream } from "./reach-upstream.ts";
import { type AgentCaller, agentBehind } from "./session-upstreams.ts";
import { allowing, decideUse, type UseCaller } from "./use/use.ts";

export type ListeningPorts = ProxyPorts &
  DecisionPorts & {
    /** Absent: no app needs accounts of people. */
    readonly connections?: Pick<CallConnections, "connected"> | undefined;
  };

/** How long an agent waits for what its upstreams agree to, milliseconds. */
const PATIENCE = 3_000;

export interface UpstreamListener {
  /** Takes what upstreams tell, with the names that the agent knows. */
  readonly relay: (message: JsonObject) => void;
  /** One of the upstreams was stopped: what was agreed on does not hold any more. */
  readonly stopped: () => void;
}

interface ListenedAt {
  /** What the agent can count on. Who does not answer in time, or not yet, is taken to agree: it is asked again and again. */
  readonly agreed: JsonObject;
  /**
   * Whether all of these upstreams are still there for the agent and its person. An upstream that lists nothing before the person has
   * connected an account has other lists afterwards: the agent is told.
   */
  readonly look: () => Promise<boolean>;
}

/**
 * Listens at all upstreams that the caller may see until its signal aborts, by streams of their own.
 *
 * @param notifications what the agent asks for
 */
export async function listenAtUpstreams(
  notifications: JsonObject,
  { relay, stopped }: UpstreamListener,
  caller: AgentCaller & UseCaller,
  ports: ListeningPorts,
): Promise<ListenedAt> {
  const [visible, stops] = await Promise.all([
    visibleProxies(caller.identity, ports),
    ports.instanceStops.current(caller.request.waitUntil),
  ]);
  const isOpen = (app: McpProxyAppConfiguration) => stopOfCalled(stops, app) === undefined;
  const apps = visible.filter((app) => app.transport === "stream" && isOpen(app));
  const unwatch = ports.instanceStops.watch(
    (index) => apps.some((app) => stopOfCalled(index, app) !== undefined),
    stopped,
  );
  if (caller.signal.aborted) unwatch();
  else caller.signal.addEventListener("abort", unwatch, { once: true });
  const unconnected = createUnconnected(relay);
  const agreed = apps.map(async (app) => {
    const wanted = await allowed(
      listenedOf({ notifications }, app, visible).notifications as JsonObject,
      app,
      caller,
      ports,
    );
    if (!isListening(wanted)) return {};
    return agreedNames(await listenAt(app, wanted, { relay, unconnected }, caller, ports), app);
  });
  return {
    agreed: togetherListened(await Promise.all(agreed)),
    look: async () => {
      const now = new Set(await visibleProxies(caller.identity, ports));
      if (!apps.every((app) => now.has(app))) return false;
      await unconnected.look(caller.signal, ports);
      return true;
    },
  };
}

/** The upstreams that wait for the agent's person to connect an account. */
interface Unconnected {
  add(app: McpProxyAppConfiguration, want: ConnectionWant, wanted: JsonObject): void;
  /** The person has connected one: lists that are listened for are others now. */
  connected(app: McpProxyAppConfiguration): void;
  /** Finds out which the person has connected meanwhile. */
  look(signal: AbortSignal, ports: Pick<ListeningPorts, "connections">): Promise<void>;
}

function createUnconnected(relay: UpstreamListener["relay"]): Unconnected {
  const waiting = new Map<McpProxyAppConfiguration, { readonly want: ConnectionWant; readonly wanted: JsonObject }>();
  const connected = (app: McpProxyAppConfiguration): void => {
    const wanted = waiting.get(app)?.wanted;
    waiting.delete(app);
    for (const method of listChangesIn(wanted ?? {})) relay(notificationMessage(method));
  };
  return {
    add: (app, want, wanted) => void waiting.set(app, { want, wanted }),
    connected,
    look: async (signal, { connections }) => {
      for (const [app, { want }] of [...waiting])
        if (await connections?.connected(want, ONE_LOOK, signal)) connected(app);
    },
  };
}

/** Milliseconds in which the store is asked once. */
const ONE_LOOK = 1;

/** Without resources that a policy keeps from the caller or the upstream does not list, and without tasks where one would not let it ask for any. */
async function allowed(
  notifications: JsonObject,
  app: McpProxyAppConfiguration,
  caller: UseCaller,
  ports: ListeningPorts,
): Promise<JsonObject> {
  const { resourceSubscriptions: _, taskIds, ...others } = notifications;
  const uris: string[] = [];
  for (const named of resourcesIn(notifications)) {
    if (!isPlainName(named) || hasDotSegments(named)) continue;
    const found = await findResource(named, { app, caller, ports });
    if (found.kind !== "listed") continue;
    // Policies see the upstream's own spelling, which is what is subscribed to.
    const uri = found.entry;
    const use = { app, method: "resources/subscribe", params: { uri }, subject: { kind: "resource", uri } } as const;
    if ((await decideUse(use, caller, ports)) === undefined) uris.push(uri);
  }
  const hasTasks = taskIds !== undefined && (await allowing("tasks/get", [app], caller, ports)).length > 0;
  return { ...others, ...(uris.length > 0 && { resourceSubscriptions: uris }), ...(hasTasks && { taskIds }) };
}

/** Resolves to what the upstream agrees to; listening goes on. */
async function listenAt(
  app: McpProxyAppConfiguration,
  wanted: JsonObject,
  { relay, unconnected }: Pick<UpstreamListener, "relay"> & { readonly unconnected: Unconnected },
  caller: AgentCaller,
  ports: ListeningPorts,
): Promise<JsonObject> {
  const { logger } = caller.request;
  const agreed = Promise.withResolvers<JsonObject>();
  const listening = createListening(wanted, agreed.resolve);
  const agent = agentBehind(caller, ports, { relay });
  const failed = (cause: unknown): void => {
    agreed.resolve(wanted);
    if (cause instanceof GatewayError && cause.needs !== undefined) unconnected.add(app, cause.needs.want, wanted);
    logger.debug("an upstream is not heard", { app: app.name, cause: causeOf(cause) });
  };
  const { heard } = listening;
  const open = (lastEventId: string | undefined) =>
    atUpstream(app, agent, ports, (upstream) => {
      unconnected.connected(app);
      return listening.open(upstream, lastEventId);
    });
  const end = (): void => {
    agreed.resolve({});
    listening.end();
  };
  void hold({ open, heard, failed }, caller.signal).finally(end);
  return inTime(PATIENCE, agreed.promise).catch(() => wanted);
}

function agreedNames(agreed: JsonObject, app: McpProxyAppConfiguration): JsonObject {
  const [uris, taskIds] = [resourcesIn(agreed), tasksIn(agreed)];
  return {
    ...agreed,
    ...(uris.length > 0 && { resourceSubscriptions: uris.map((uri) => wrapURI(app, uri)) }),
    ...(taskIds.length > 0 && { taskIds: taskIds.map((id) => wrapTaskId(app, id)) }),
  };
}
