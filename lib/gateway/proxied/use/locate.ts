import type { McpProxyAppConfiguration } from "../../../config/app-configuration.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isPlainName } from "../../../kernel/plain-name.ts";
import { causeOf } from "../../../logging/cause.ts";
import type { ListKind } from "../../../upstream/catalog/kinds.ts";
import { type Addressed, addressedBy, readdressed } from "../../../upstream/names/addressed.ts";
import { hasDotSegments } from "../../../upstream/names/dot-segments.ts";
import { mayOwn, ownName } from "../../../upstream/names/namespaced.ts";
import { ownersOf } from "../../../upstream/names/resource-uri.ts";
import { taskOwners, withOwnTasks } from "../../../upstream/names/task-id.ts";
import { createAsk, type ProxyPorts } from "../ask.ts";
import { listsOf } from "../lists.ts";
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

/** Reads whom a request is for. Mostly a name says that by itself; where it does not, lists do, and the first app wins. */
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
  const candidates = await candidatesOf(apps, addressed);
  const meant =
    candidates.length === 1 ? candidates[0] : await chosen(candidates, addressed, { apps, caller, gateway });
  if (meant === undefined) return { kind: "unknown", addressed };
  const { app, own } = meant;
  const readdressedParams = withOwnTasks(readdressed(params, addressed, own), app);
  return { kind: "use", use: { app, method, params: readdressedParams, subject: subjectOf(addressed, own, params) } };
}

function subjectOf({ kind }: Addressed, own: string, params: JsonObject): UseSubject {
  if (kind === "resource") return { kind, uri: own };
  return kind === "task" ? { kind: "other" } : { kind: "prompt", name: own, arguments: params.arguments };
}

interface Candidate {
  readonly app: McpProxyAppConfiguration;
  readonly own: string;
}

async function candidatesOf(
  apps: readonly McpProxyAppConfiguration[],
  { kind, text }: Addressed,
): Promise<readonly Candidate[]> {
  if (kind === "resource") return ownersOf(apps, text).map(({ app, uri }) => ({ app, own: uri }));
  if (kind === "task") return taskOwners(apps, text).map(({ app, id }) => ({ app, own: id }));
  const named = await Promise.all(
    mayOwn(apps, text).map(async (app) => ({ app, own: await ownName(app.namespace, text) })),
  );
  return named.filter((candidate): candidate is Candidate => candidate.own !== undefined);
}

interface Asking {
  readonly apps: readonly McpProxyAppConfiguration[];
  readonly caller: UseCaller;
  readonly gateway: ProxyPorts;
}

async function chosen(
  candidates: readonly Candidate[],
  addressed: Addressed,
  asking: Asking,
): Promise<Candidate | undefined> {
  if (addressed.kind !== "task") return listing(candidates, addressed, asking);
  return taskOwner(candidates, addressed.text, asking.caller, asking.gateway);
}

/**
 * The first whose list has it; nobody's list has what a template stands for, which goes to the first. What a prompt's name stands
 * for that was cut, its list alone knows.
 */
async function listing(
  candidates: readonly Candidate[],
  { kind, text }: Addressed,
  { apps, caller, gateway }: Asking,
): Promise<Candidate | undefined> {
  const isCut = candidates.length === 0;
  if (isCut && (kind !== "prompt" || text.length > LONGEST_EXPOSED)) return undefined;
  const owners = mayOwn(apps, text).filter(({ namespace }) => namespace !== "");
  const asked = isCut ? owners : candidates.map(({ app }) => app);
  const listed: ListKind = kind === "resource" ? "resources" : "prompts";
  const lists = await listsOf(listed, asked, caller, gateway);
  const owner = lists.find(({ list }) => list.byName.has(text));
  const entry = owner?.list.byName.get(text);
  if (isCut) return owner && entry && { app: owner.app, own: entry.upstreamName };
  return candidates.find(({ app }) => app === owner?.app) ?? candidates[0];
}

/** Characters of a name that agents see of an app with a namespace. */
const LONGEST_EXPOSED = 64;

/**
 * Which of several apps without a namespace has a task: the first, in their order, that tells of it; the first of all where none
 * does. Not every server lists its tasks, so that each is asked.
 */
async function taskOwner(
  candidates: readonly Candidate[],
  taskId: string,
  caller: UseCaller,
  gateway: ProxyPorts,
): Promise<Candidate | undefined> {
  for (const candidate of candidates) {
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
