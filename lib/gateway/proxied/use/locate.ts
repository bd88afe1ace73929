import type { McpProxyAppConfiguration } from "../../../config/app-configuration.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isPlainName } from "../../../kernel/plain-name.ts";
import { causeOf } from "../../../logging/cause.ts";
import { type Addressed, addressedBy, readdressed } from "../../../upstream/names/addressed.ts";
import { hasDotSegments } from "../../../upstream/names/dot-segments.ts";
import { mayOwn, ownName } from "../../../upstream/names/namespaced.ts";
import { ownersOf } from "../../../upstream/names/resource-uri.ts";
import { type OwnedTask, taskOwners, withOwnTasks } from "../../../upstream/names/task-id.ts";
import { createAsk, type ProxyPorts } from "../ask.ts";
import { type Found, findNamed, findResource } from "../find-listed.ts";
import { visibleProxies } from "../proxies.ts";
import { TASKS_LIST } from "./list-uses.ts";
import type { UpstreamUse, UseCaller, UseSubject } from "./use.ts";

/** What a request of an agent asks of which upstream, or why it asks nothing of any. */
export type LocatedUse =
  | { readonly kind: "use"; readonly use: UpstreamUse }
  /** The upstream that the request names is not there for this agent, or is none. */
  | { readonly kind: "unknown"; readonly addressed: Addressed }
  /** A URI or template whose segments lead elsewhere than they say. */
  | { readonly kind: "dots" }
  /** It names nothing, and there is not exactly one upstream that could be meant: one whose configuration names the method. */
  | { readonly kind: "unaddressed" };

/** Reads whom a request is for: the app that lists what it names. Mostly a name says by itself which one that can be; else the first app wins. */
export async function locateUse(
  method: string,
  params: JsonObject,
  caller: UseCaller,
  gateway: ProxyPorts,
): Promise<LocatedUse> {
  const apps = await visibleProxies(caller.identity, gateway);
  const addressed = addressedBy(method, params);
  if (addressed === undefined) {
    const isList = method === TASKS_LIST;
    const meant = isList ? apps : apps.filter(({ methods }) => methods?.includes(method));
    const [only] = meant.length === 1 ? meant : [];
    if (only === undefined) return { kind: "unaddressed" };
    const subject = { kind: isList ? "other" : "method" } as const;
    return { kind: "use", use: { app: only, method, params: withOwnTasks(params, only), subject } };
  }
  if (!isPlainName(addressed.text)) return { kind: "unknown", addressed };
  if (addressed.kind === "resource" && hasDotSegments(addressed.text)) return { kind: "dots" };
  const meant =
    addressed.kind === "task"
      ? await taskOwner(taskOwners(apps, addressed.text), addressed.text, caller, gateway)
      : await listing(apps, addressed, caller, gateway);
  if (meant === undefined) return { kind: "unknown", addressed };
  const { app, own, untold } = meant;
  const readdressedParams = withOwnTasks(readdressed(params, addressed, own), app);
  const subject = subjectOf(addressed, own, params);
  return { kind: "use", use: { app, method, params: readdressedParams, subject, ...(untold && { untold }) } };
}

function subjectOf({ kind }: Addressed, own: string, params: JsonObject): UseSubject {
  if (kind === "resource") return { kind, uri: own };
  return kind === "task" ? { kind: "other" } : { kind: "prompt", name: own, arguments: params.arguments };
}

/** Whose it is, by the upstream's own name. */
interface Meant extends Pick<UpstreamUse, "untold"> {
  readonly app: McpProxyAppConfiguration;
  readonly own: string;
}

/** The first app whose lists have it (D164); else the first that may have it and does not say what it has. */
async function listing(
  apps: readonly McpProxyAppConfiguration[],
  { kind, text }: Addressed,
  caller: UseCaller,
  ports: ProxyPorts,
): Promise<Meant | undefined> {
  const looked =
    kind === "resource"
      ? ownersOf(apps, text).map(async ({ app, uri }) => ({
          app,
          own: uri,
          found: await findResource(uri, { app, caller, ports }),
        }))
      : (text.length > LONGEST_NAME ? [] : mayOwn(apps, text)).map(async (app) => ({
          app,
          own: await ownName(app.namespace, text),
          found: await foundPrompt(text, { app, caller, ports }),
        }));
  const all = await Promise.all(looked);
  for (const { app, found } of all) if (found.kind === "listed") return { app, own: found.entry };
  // What a name stands for that was cut, its list alone knows.
  for (const { app, own, found } of all)
    if (found.kind === "untold" && own !== undefined) return { app, own, untold: found };
  return undefined;
}

async function foundPrompt(name: string, looking: Parameters<typeof findNamed>[2]): Promise<Found<string>> {
  const found = await findNamed("prompts", name, looking);
  return found.kind === "listed" ? { kind: "listed", entry: found.entry.upstreamName } : found;
}

/** Characters; no list has longer ones. */
const LONGEST_NAME = 1_000;

/**
 * Which of several apps without a namespace has a task: the first, in their order, that tells of it; the first of all where none
 * does. Not every server lists its tasks, so that each is asked.
 */
async function taskOwner(
  owners: readonly OwnedTask<McpProxyAppConfiguration>[],
  taskId: string,
  caller: UseCaller,
  gateway: ProxyPorts,
): Promise<Meant | undefined> {
  const candidates = owners.map(({ app, id }) => ({ app, own: id }));
  for (const candidate of candidates.length > 1 ? candidates : []) {
    if (await hasTask(candidate.app, taskId, caller, gateway)) return candidate;
  }
  return candidates[0];
}

async function hasTask(
  app: McpProxyAppConfiguration,
  taskId: string,
  caller: UseCaller,
  gateway: ProxyPorts,
): Promise<boolean> {
  try {
    await createAsk(app, caller, gateway)("tasks/get", { taskId });
    return true;
  } catch (cause) {
    // It is another's, or nobody's: the request itself tells the agent what is wrong.
    caller.request.logger.debug("an upstream tells nothing of a task", { app: app.name, cause: causeOf(cause) });
    return false;
  }
}
