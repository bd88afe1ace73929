import type { McpProxyAppConfiguration } from "../../../config/app-configuration.ts";
import type { JsonObject } from "../../../json.ts";
import type { ListKind } from "../../../proxy/catalog/kinds.ts";
import { type Addressed, addressedBy, readdressed } from "../../../proxy/names/addressed.ts";
import { ownName } from "../../../proxy/names/namespaced.ts";
import { mayOwn } from "../../../proxy/names/owned.ts";
import { ownersOf } from "../../../proxy/names/resource-owner.ts";
import type { Gateway } from "../../gateway.ts";
import { visibleApps } from "../../visible-app.ts";
import { listsOf } from "../lists.ts";
import type { UpstreamUse, UseCaller } from "./use.ts";

/** What a request of an agent asks of which upstream, or why it asks nothing of any. */
export type LocatedUse =
  | { readonly kind: "use"; readonly use: UpstreamUse }
  /** The upstream that the request names is not there for this agent, or is none. */
  | { readonly kind: "unknown"; readonly addressed: Addressed }
  /** It names nothing, and there is not exactly one upstream that could be meant. */
  | { readonly kind: "unaddressed" };

/** Reads whom a request is for. Mostly a name says that by itself; where it does not, lists do, and the first app wins. */
export async function locateUse(
  method: string,
  params: JsonObject,
  caller: UseCaller,
  gateway: Gateway,
): Promise<LocatedUse> {
  const apps = await visibleProxies(caller, gateway);
  const addressed = addressedBy(method, params);
  if (addressed === undefined) {
    const [only] = apps.length === 1 ? apps : [];
    if (only === undefined) return { kind: "unaddressed" };
    return { kind: "use", use: { app: only, method, params, subject: { kind: "other" } } };
  }
  const candidates = addressed.kind === "resource" ? resources(apps, addressed) : await names(apps, addressed);
  const meant =
    candidates.length === 1 ? candidates[0] : await listing(candidates, addressed, { apps, caller, gateway });
  if (meant === undefined) return { kind: "unknown", addressed };
  const { app, own } = meant;
  const subject =
    addressed.kind === "resource"
      ? ({ kind: "resource", uri: own } as const)
      : ({ kind: "prompt", name: own, arguments: params.arguments } as const);
  return { kind: "use", use: { app, method, params: readdressed(params, addressed, own), subject } };
}

/** The proxied apps that there are for an agent, in their order. */
export async function visibleProxies(
  { identity }: Pick<UseCaller, "identity">,
  gateway: Pick<Gateway, "proxies" | "organizationOf">,
): Promise<readonly McpProxyAppConfiguration[]> {
  const { apps } = gateway.proxies;
  const visible = await visibleApps(apps, identity, gateway);
  return apps.filter((app) => visible.has(app));
}

interface Candidate {
  readonly app: McpProxyAppConfiguration;
  readonly own: string;
}

function resources(apps: readonly McpProxyAppConfiguration[], { text }: Addressed): readonly Candidate[] {
  return ownersOf(apps, text).map(({ app, uri }) => ({ app, own: uri }));
}

async function names(apps: readonly McpProxyAppConfiguration[], { text }: Addressed): Promise<readonly Candidate[]> {
  const named = await Promise.all(
    mayOwn(apps, text).map(async (app) => ({ app, own: await ownName(app.namespace, text) })),
  );
  return named.filter((candidate): candidate is Candidate => candidate.own !== undefined);
}

interface Asking {
  readonly apps: readonly McpProxyAppConfiguration[];
  readonly caller: UseCaller;
  readonly gateway: Gateway;
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
