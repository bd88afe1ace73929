import { sha256base64url } from "#sha256";
import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { causeOf } from "../../logging/cause.ts";
import type { Logger } from "../../logging/logger.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import type { GetOptions, ListKey } from "../../upstream/catalog/catalogs.ts";
import { exposeList } from "../../upstream/catalog/expose-list.ts";
import { gather, LISTING_DEADLINE, type Missing } from "../../upstream/catalog/gather.ts";
import type { ListKind } from "../../upstream/catalog/kinds.ts";
import type { Malformed } from "../../upstream/catalog/malformed.ts";
import { readList } from "../../upstream/catalog/read-list.ts";
import { isListOf, type UpstreamList, type UpstreamTool } from "../../upstream/catalog/upstream-list.ts";
import { mayOwn, overshadowed } from "../../upstream/names/namespaced.ts";
import { GatewayError } from "../gateway-error.ts";
import { stopOfCalled } from "../stopped.ts";
import { createAsk, type ProxyPorts } from "./ask.ts";
import { type UpstreamCaller, upstreamPrincipal } from "./reach-upstream.ts";

/** What one app lists for a caller. */
export interface AppList<K extends ListKind> {
  readonly app: McpProxyAppConfiguration;
  readonly list: UpstreamList<K>;
}

/** What several apps list for a caller. */
export interface AppLists<K extends ListKind> {
  /** In the order of the apps. */
  readonly lists: readonly AppList<K>[];
  /** Apps of which nothing is known now, also not of earlier. */
  readonly unlisted: readonly UnlistedApp[];
  /** Apps that are not asked, as the caller's person has not connected an account: also those of which something is known. */
  readonly unconnected: readonly McpProxyAppConfiguration[];
}

export type UnlistedApp = Pick<Missing<McpProxyAppConfiguration>, "app" | "why">;

/**
 * What the apps list for the caller, in their order; those that do not answer in time are left out (checklist 31), and those that are
 * stopped are not asked.
 */
export async function listsOf<K extends ListKind>(
  kind: K,
  visible: readonly McpProxyAppConfiguration[],
  caller: UpstreamCaller,
  ports: ProxyPorts,
): Promise<AppLists<K>> {
  const { catalogs } = ports.proxies;
  const stops = await ports.instanceStops.current(caller.request.waitUntil);
  const apps = visible.filter((app) => stopOfCalled(stops, app) === undefined);
  const readerOf = (app: McpProxyAppConfiguration) => listReader(kind, app, caller, ports);
  const keyOf = (app: McpProxyAppConfiguration) => readerOf(app).key;
  const { logger } = caller.request;
  // Mostly all of them are kept: then nothing is waited for.
  const fresh = apps.flatMap((app) => {
    const list = catalogs.fresh(keyOf(app));
    return list === undefined ? [] : [{ app, list }];
  });
  if (fresh.length === apps.length) return { lists: fresh, unlisted: [], unconnected: [] };
  const load = (app: McpProxyAppConfiguration) => {
    const { key, load, waitUntil } = readerOf(app);
    return catalogs.get(key, { load, waitUntil, deadline: LISTING_DEADLINE });
  };
  const last = (app: McpProxyAppConfiguration) => catalogs.last(keyOf(app));
  const { lists, missing } = await gather(apps, load, { last, deadline: LISTING_DEADLINE });
  const unconnected = missing.filter(({ cause }) => isNotConnected(cause)).map(({ app }) => app);
  const failed = missing.filter(({ cause }) => !isNotConnected(cause));
  for (const { app, ...told } of failed) logger.warn(...notListed(app, kind, told));
  const unlisted = failed.filter(({ isStandIn }) => !isStandIn).map(({ app, why }) => ({ app, why }));
  return { lists, unlisted, unconnected };
}

function isNotConnected(cause: unknown): boolean {
  return cause instanceof GatewayError && cause.needs !== undefined;
}

/** How a list of one app is read for a caller, and what it is kept by. */
export interface ListReader<K extends ListKind> extends Omit<GetOptions<K>, "deadline"> {
  readonly key: ListKey<K>;
}

export function listReader<K extends ListKind>(
  kind: K,
  app: McpProxyAppConfiguration,
  caller: UpstreamCaller,
  ports: ProxyPorts,
): ListReader<K> {
  const { waitUntil, logger } = caller.request;
  return {
    key: { app: app.name, principal: listenerOf(app, caller), kind },
    load: async () => {
      const ask = createAsk(app, lasting(app, caller), ports);
      const list = await exposeList(kind, app, await readList(kind, ask, caller.agent.generation));
      tellUnusable(app, list, logger);
      await pinListed(app, list, ports, caller.request);
      return list;
    },
    waitUntil: (work) =>
      waitUntil(
        work.catch((cause) => {
          if (!isNotConnected(cause)) logger.warn(...notListed(app, kind, { why: "failed", isStandIn: true, cause }));
        }),
      ),
  };
}

/** What could not be noted is held: nobody has approved it. */
async function pinListed(
  app: McpProxyAppConfiguration,
  list: UpstreamList,
  { pins }: Pick<ProxyPorts, "pins">,
  { logger, waitUntil }: Pick<RequestContext, "logger" | "waitUntil">,
): Promise<void> {
  if (app.pins === undefined || !isListOf("tools", list)) return;
  try {
    await pins.listed(
      app,
      list.entries.flatMap(({ version }) => version ?? []),
      waitUntil,
    );
  } catch (cause) {
    logger.warn("tools could not be pinned, and are held as far as nobody has approved them", {
      app: app.name,
      cause: causeOf(cause),
    });
  }
}

function notListed(
  { name }: McpProxyAppConfiguration,
  kind: ListKind,
  { why, isStandIn, cause }: Omit<Missing<unknown>, "app">,
): Parameters<Logger["warn"]> {
  return ["an upstream did not list what it has", { app: name, kind, why, isStandIn, cause: causeOf(cause) }];
}

/** Servers list what fits the client as it declares itself: tools that ask it for something, where it can be asked. */
function listenerOf(app: McpProxyAppConfiguration, { identity, agent }: UpstreamCaller): string {
  const declared = JSON.stringify([agent.generation, agent.clientCapabilities]);
  return JSON.stringify([upstreamPrincipal(app, identity), sha256base64url(declared)]);
}

/** An entry that cannot be used costs itself alone, or a member; whoever runs the upstream can mend it. */
function tellUnusable(
  app: McpProxyAppConfiguration,
  { kind, malformed, reduced, cutAt }: UpstreamList,
  logger: Logger,
): void {
  const told = ({ count, example }: Malformed<string>, what: string) =>
    `${count} ${what}${example ? `, as ${example}` : ""}`;
  const reasons = [
    ...malformed.map((one) => told(one, `with ${one.reason}`)),
    ...reduced.map((one) => told(one, `shown without ${one.reason}`)),
  ];
  if (reasons.length > 0)
    logger.warn("an upstream lists what cannot be used", { app: app.name, kind, reasons: reasons.join("; ") });
  if (cutAt !== undefined) logger.warn("an upstream lists more than is read", { app: app.name, kind, cutAt });
}

/** A list is read to its end for those who come later, also when this agent leaves. */
function lasting({ timeout }: McpProxyAppConfiguration, caller: UpstreamCaller): UpstreamCaller {
  return { ...caller, signal: AbortSignal.timeout(timeout) };
}

/**
 * The lists without tools whose names belong to another app's namespace: they do not exist for agents, or one server could
 * describe another one's tools (D128).
 *
 * @param visible all apps that the caller may see, also those that listed nothing
 */
export function ownedTools(
  lists: readonly AppList<"tools">[],
  visible: readonly McpProxyAppConfiguration[],
): readonly AppList<"tools">[] {
  const shadowed = overshadowed(visible);
  return lists.map((listed) => (shadowed.has(listed.app) ? withoutOthers(listed, visible) : listed));
}

/** The list itself where nothing has to go, by which it is known again. */
function withoutOthers(
  { app, list }: AppList<"tools">,
  visible: readonly McpProxyAppConfiguration[],
): AppList<"tools"> {
  const isOwn = ({ name }: UpstreamTool) => mayOwn(visible, name).includes(app);
  if (list.entries.every(isOwn)) return { app, list };
  const entries = list.entries.filter(isOwn);
  return { app, list: { ...list, entries, byName: new Map(entries.map((entry) => [entry.name, entry])) } };
}
