import type { StopKind, StopTarget } from "../stores/stops.ts";

/** Those whose tokens and sessions can be ended without suspending them. */
export const OF_TOKENS: readonly StopKind[] = ["organization", "api_client", "key_pair", "person", "agent"];
/** Those that can come with tokens of another authorization server. */
export const OF_ISSUERS: readonly StopKind[] = ["person", "agent"];

/** How stops name a tool: whatever namespace agents see it in. */
export function toolStopId(app: string, localName: string): string {
  return `${app}/${localName}`;
}

/** How stops may name an upstream server: its whole URL, or its origin, which is every server there. */
export function upstreamIds(url: string | undefined): readonly string[] {
  if (url === undefined || !URL.canParse(url)) return [];
  const { href, origin } = new URL(url);
  return [...new Set([href, href.replace(/\/$/, ""), origin])];
}

/** What of an app stops ask for. */
export interface StoppableApp {
  readonly name: string;
  readonly organization?: string;
  /** Of a REST API. */
  readonly baseURL?: string;
  /** Of an MCP server. */
  readonly url?: string;
  /** Of a web app. */
  readonly upstream?: string;
  /** Absent: what tools it has is not known. A web app has none. */
  readonly catalog?: { readonly tools: readonly { readonly localName: string }[] };
}

export function upstreamOf({ baseURL, url, upstream }: Omit<StoppableApp, "name">): string | undefined {
  return baseURL ?? url ?? upstream;
}

/** What is wrong with the name of an app, tool or upstream server among these apps; undefined: nothing. */
export function unknownTarget({ kind, id }: StopTarget, apps: readonly StoppableApp[]): string | undefined {
  const names = apps.map(({ name }) => name);
  const withTools = apps.filter(({ upstream }) => upstream === undefined);
  switch (kind) {
    case "app":
      return names.includes(id) ? undefined : `is no app; there are ${listed(names)}`;
    case "tool": {
      const app = withTools.find(({ name }) => id.startsWith(`${name}/`));
      if (app === undefined) {
        const there = listed(withTools.map(({ name }) => name));
        return `must be an app and a tool of it, as app/tool; there are the apps ${there}`;
      }
      const { catalog } = app;
      const tool = id.slice(app.name.length + 1);
      // An MCP server says by itself what it has.
      const isKnown = catalog === undefined ? tool !== "" : catalog.tools.some(({ localName }) => localName === tool);
      return isKnown ? undefined : `names no tool of the app ${app.name}`;
    }
    case "upstream": {
      const urls = apps.flatMap((app) => upstreamIds(upstreamOf(app)));
      return urls.includes(id) ? undefined : `is the URL or origin of no app's server; there are ${listed(urls)}`;
    }
    default:
      return undefined;
  }
}

const MOST_LISTED = 20;

function listed(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length > MOST_LISTED ? " and more" : "";
  return names.slice(0, MOST_LISTED).join(", ") + more;
}
