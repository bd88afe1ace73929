import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { JsonObject } from "../../json.ts";
import { causeOf } from "../../logging/cause.ts";
import type { Caller } from "../../mcp/caller.ts";
import { inTime } from "../../proxy/catalog/in-time.ts";
import { hold } from "../../proxy/channel/hold.ts";
import { isListening, resourcesIn, tasksIn, togetherListened } from "../../proxy/channel/listened.ts";
import { createListening } from "../../proxy/channel/listening.ts";
import { listenedOf } from "../../proxy/names/listened.ts";
import { wrapURI } from "../../proxy/names/resource-uri.ts";
import { wrapTaskId } from "../../proxy/names/task-id.ts";
import type { Gateway } from "../gateway.ts";
import { agentBehind } from "./agent-behind.ts";
import { atUpstream } from "./at-upstream.ts";
import { allowing, decideUse } from "./use/decide.ts";
import type { UseCaller } from "./use/use.ts";
import { visibleProxies } from "./visible-proxies.ts";

/** How long an agent waits for what its upstreams agree to, milliseconds. */
const PATIENCE = 3_000;

/**
 * Listens at all upstreams that the caller may see until its signal aborts, by streams of their own.
 *
 * @param notifications what the agent asks for
 * @param relay takes what upstreams tell of it, with the names that the agent knows
 * @returns what the agent can count on. Who does not answer in time, or not yet, is taken to agree: it is asked again and again
 */
export async function listenAtUpstreams(
  notifications: JsonObject,
  relay: (message: JsonObject) => void,
  caller: Caller & UseCaller,
  gateway: Gateway,
): Promise<JsonObject> {
  const visible = await visibleProxies(caller.identity, gateway);
  const apps = visible.filter(({ transport }) => transport === "stream");
  const agreed = apps.map(async (app) => {
    const wanted = await allowed(
      listenedOf({ notifications }, app, visible).notifications as JsonObject,
      app,
      caller,
      gateway,
    );
    return isListening(wanted) ? agreedNames(await listenAt(app, wanted, relay, caller, gateway), app) : {};
  });
  return togetherListened(await Promise.all(agreed));
}

/** Without resources that a policy keeps from the caller, and without tasks where one would not let it ask for any. */
async function allowed(
  notifications: JsonObject,
  app: McpProxyAppConfiguration,
  caller: UseCaller,
  gateway: Gateway,
): Promise<JsonObject> {
  const { resourceSubscriptions: _, taskIds, ...others } = notifications;
  const uris: string[] = [];
  for (const uri of resourcesIn(notifications)) {
    const use = { app, method: "resources/subscribe", params: { uri }, subject: { kind: "resource", uri } } as const;
    if ((await decideUse(use, caller, gateway)) === undefined) uris.push(uri);
  }
  const hasTasks = taskIds !== undefined && (await allowing("tasks/get", [app], caller, gateway)).length > 0;
  return { ...others, ...(uris.length > 0 && { resourceSubscriptions: uris }), ...(hasTasks && { taskIds }) };
}

/** Resolves to what the upstream agrees to; listening goes on. */
async function listenAt(
  app: McpProxyAppConfiguration,
  wanted: JsonObject,
  relay: (message: JsonObject) => void,
  caller: Caller,
  gateway: Gateway,
): Promise<JsonObject> {
  const { logger } = caller.request;
  const agreed = Promise.withResolvers<JsonObject>();
  const listening = createListening(wanted, agreed.resolve);
  const agent = agentBehind(caller, gateway, { relay });
  const failed = (cause: unknown): void => {
    agreed.resolve(wanted);
    logger.debug("an upstream is not heard", { app: app.name, cause: causeOf(cause) });
  };
  const { heard } = listening;
  const open = (lastEventId: string | undefined) =>
    atUpstream(app, agent, gateway, (upstream) => listening.open(upstream, lastEventId));
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
