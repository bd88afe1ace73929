import type { McpProxyAppConfiguration, PinsConfiguration } from "../../config/app-configuration.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { causeOf } from "../../logging/cause.ts";
import { LISTING_DEADLINE } from "../../upstream/catalog/gather.ts";
import { LateError } from "../../upstream/catalog/in-time.ts";
import type { ListKind } from "../../upstream/catalog/kinds.ts";
import type { UpstreamEntry, UpstreamList, UpstreamTool } from "../../upstream/catalog/upstream-list.ts";
import { UpstreamBusy, UpstreamOpen } from "../../upstream/guard/guard.ts";
import { hasDotSegments } from "../../upstream/names/dot-segments.ts";
import { wrapURI } from "../../upstream/names/resource-uri.ts";
import { META_PLACES } from "../../upstream/names/rules-of.ts";
import { expandsTo } from "../../upstream/names/uri-template.ts";
import { UpstreamRefusal } from "../../upstream/refusal.ts";
import { sessionAt } from "../../upstream/session/kept-session.ts";
import { UpstreamFailure } from "../../upstream/wire/upstream-failure.ts";
import { GatewayError } from "../gateway-error.ts";
import type { ProxyPorts } from "./ask.ts";
import { listReader } from "./lists.ts";
import { type UpstreamCaller, upstreamPrincipal } from "./reach-upstream.ts";

/** What came of looking for something in an upstream's list. */
export type Found<Entry> =
  | { readonly kind: "listed"; readonly entry: Entry }
  | { readonly kind: "unlisted" }
  /** The upstream does not say what it has, and nothing is known of earlier. */
  | { readonly kind: "untold"; readonly cause: unknown };

/** Where to look: in the list of one kind of an app. */
interface Place<K extends ListKind, Entry> {
  readonly kind: K;
  readonly pick: (list: UpstreamList<K>) => Entry | undefined;
}

/** Who looks, at whose upstream. */
interface Looking {
  readonly app: McpProxyAppConfiguration;
  readonly caller: UpstreamCaller;
  readonly ports: ProxyPorts;
}

/**
 * An upstream's tool or prompt by the name that agents see. What was listed to the caller before is known without asking; for a name
 * that is not, the list is read once more, unless that was done a moment ago (D164).
 *
 * @param isCurrent whether what is kept has to be up to date as far as lists are
 */
export async function findNamed<K extends "tools" | "prompts">(
  kind: K,
  name: string,
  looking: Looking,
  isCurrent = false,
): Promise<Found<K extends "tools" ? UpstreamTool : UpstreamEntry>> {
  const place: Place<ListKind, UpstreamEntry> = { kind, pick: (list) => list.byName.get(name) };
  const pinned = kind === "tools" ? looking.app.pins : undefined;
  const known = pinned === undefined ? knownAt(place, looking) : await youngAt(place, pinned, looking);
  if (known?.kind === "untold") return known;
  const found = known ?? (await readAt(place, looking));
  if (known === undefined || !isCurrent) return found as Found<never>;
  const current = await currentAt(place, looking);
  return { kind: "listed", entry: current ?? known.entry } as Found<never>;
}

/**
 * A resource or template by the upstream's own URI: one that is listed, that a listed template or one of the configuration stands
 * for, that the upstream linked to in a result for the caller, that the caller's session is subscribed to, or that shows results
 * of a listed tool. The entry is the upstream's spelling.
 */
export async function findResource(uri: string, looking: Looking): Promise<Found<string>> {
  const { app, caller, ports } = looking;
  const places = placesOf(uri, app);
  for (const place of places) {
    const known = knownAt(place, looking);
    if (known !== undefined) return known;
  }
  const principal = upstreamPrincipal(app, caller.identity);
  const session = sessionAt(caller.agent.session?.record.upstreams, { app, principal });
  const isKnown =
    app.resources?.some((template) => expandsTo(template, uri)) === true ||
    ports.proxies.givenLinks.has(app.name, principal, uri) ||
    session?.subscriptions?.includes(uri) === true;
  if (isKnown) return { kind: "listed", entry: uri };
  const read = await Promise.all(places.map((place) => readAt(place, looking)));
  return read.find(({ kind }) => kind === "listed") ?? read.find(({ kind }) => kind === "untold") ?? UNLISTED;
}

const UNLISTED = { kind: "unlisted" } as const;
/** Templates of one list that are tried. */
const MOST_TEMPLATES = 200;

function placesOf(uri: string, app: McpProxyAppConfiguration): readonly Place<ListKind, string>[] {
  const spellings = spellingsOf(uri).map((own) => ({ own, shown: wrapURI(app, own) }));
  const listed = (list: UpstreamList) =>
    spellings.find(({ shown }) => list.byName.has(shown))?.own ?? listedAs(list, normalised(uri));
  const templated = ({ entries, byName }: UpstreamList) => {
    if (byName.has(wrapURI(app, uri))) return uri;
    const likely = entries.filter(({ upstreamName }) => uri.startsWith(upstreamName.split("{", 1)[0] ?? ""));
    return likely.slice(0, MOST_TEMPLATES).some(({ upstreamName }) => expandsTo(upstreamName, uri)) ? uri : undefined;
  };
  const shown = ({ entries }: UpstreamList) =>
    entries.some(({ definition }) => META_PLACES.some((path) => textAt(definition, path) === wrapURI(app, uri)))
      ? uri
      : undefined;
  return [
    { kind: "resources", pick: listed },
    { kind: "resourceTemplates", pick: templated },
    ...(/^ui:/i.test(uri) ? [{ kind: "tools", pick: shown } as const] : []),
  ];
}

/** Libraries of clients write an empty path as `/` (RFC 3986 §6.2.3), and some leave it away. */
function spellingsOf(uri: string): readonly string[] {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]+\/$/i.test(uri)) return [uri, uri.slice(0, -1)];
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+$/i.test(uri) ? [uri, `${uri}/`] : [uri];
}

/** What a list has, by how libraries of clients write it. */
const NORMALISED = new WeakMap<UpstreamList, ReadonlyMap<string, string>>();

/** The upstream's spelling of a URI that a library has normalised: `file:///my docs` for `file:///my%20docs`. */
function listedAs(list: UpstreamList, uri: string | undefined): string | undefined {
  if (uri === undefined) return undefined;
  let known = NORMALISED.get(list);
  if (known === undefined) {
    const pairs = list.entries.flatMap(({ upstreamName }) => {
      const own = normalised(upstreamName);
      return own === undefined ? [] : [[own, upstreamName] as const];
    });
    // Of several the first.
    known = new Map(pairs.toReversed());
    NORMALISED.set(list, known);
  }
  return known.get(uri);
}

/** As the URL Standard writes it; undefined for what would lead elsewhere than it says. */
function normalised(uri: string): string | undefined {
  return hasDotSegments(uri) || !URL.canParse(uri) ? undefined : new URL(uri).href;
}

function textAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isJsonObject(inner) ? inner[key] : undefined), value);
}

function knownAt<K extends ListKind, Entry>(
  { kind, pick }: Place<K, Entry>,
  { app, caller, ports }: Looking,
): { readonly kind: "listed"; readonly entry: Entry } | undefined {
  const last = ports.proxies.catalogs.last(listReader(kind, app, caller, ports).key);
  const entry = last && pick(last);
  return entry === undefined ? undefined : { kind: "listed", entry };
}

/** By a list that is young enough to judge a tool by, as it may have changed since an older one. Undefined: that does not have it. */
async function youngAt<K extends ListKind, Entry>(
  { kind, pick }: Place<K, Entry>,
  { maxAge = 0 }: PinsConfiguration,
  looking: Looking,
): Promise<Exclude<Found<Entry>, { readonly kind: "unlisted" }> | undefined> {
  const { app, caller, ports } = looking;
  const { key, load, waitUntil } = listReader(kind, app, caller, ports);
  try {
    const how = { load, waitUntil, deadline: app.timeout };
    const entry = pick(await ports.proxies.catalogs.within(key, maxAge, how));
    return entry === undefined ? undefined : { kind: "listed", entry };
  } catch (cause) {
    return { kind: "untold", cause: toldApart(cause, looking, kind) };
  }
}

/** As lists show it now; undefined where that is not to be had. */
async function currentAt<K extends ListKind, Entry>(
  { kind, pick }: Place<K, Entry>,
  { app, caller, ports }: Looking,
): Promise<Entry | undefined> {
  const { key, load, waitUntil } = listReader(kind, app, caller, ports);
  try {
    return pick(await ports.proxies.catalogs.get(key, { load, waitUntil, deadline: LISTING_DEADLINE }));
  } catch {
    // The request itself tells what is wrong with the upstream.
    return undefined;
  }
}

async function readAt<K extends ListKind, Entry>(
  { kind, pick }: Place<K, Entry>,
  looking: Looking,
): Promise<Found<Entry>> {
  const { app, caller, ports } = looking;
  const { catalogs, lookups } = ports.proxies;
  const reader = listReader(kind, app, caller, ports);
  const last = catalogs.last(reader.key);
  const load = () => {
    const isAllowed = lookups.take(JSON.stringify([app.name, upstreamPrincipal(app, caller.identity)]));
    return isAllowed ? reader.load() : Promise.reject(new UpstreamBusy(app.name));
  };
  try {
    const entry = pick(await catalogs.renew(reader.key, { load, waitUntil: reader.waitUntil, deadline: app.timeout }));
    return entry === undefined ? UNLISTED : { kind: "listed", entry };
  } catch (cause) {
    return last === undefined ? { kind: "untold", cause: toldApart(cause, looking, kind) } : UNLISTED;
  }
}

/** What `failureOf` reads; anything else, such as an error of the method, is in the log and told in words of ours. */
function toldApart(cause: unknown, { app, caller }: Looking, kind: ListKind): unknown {
  const known = [UpstreamRefusal, UpstreamFailure, UpstreamBusy, UpstreamOpen, LateError, GatewayError];
  if (known.some((one) => cause instanceof one)) return cause;
  caller.request.logger.warn("an upstream did not list what it has", { app: app.name, kind, cause: causeOf(cause) });
  return new UpstreamFailure("not_listed", NOT_LISTED);
}

const NOT_LISTED = "The MCP server does not say what it has, and only what it lists may be used.";
