import type { Gateway } from "../gateway/gateway.ts";
import { calledTool } from "../gateway/search/called-tool.ts";
import type { JsonObject } from "../json.ts";

export type CalledGateway = Pick<Gateway, "tools" | "search"> & { readonly proxies: Pick<Gateway["proxies"], Known> };
type Known = "apps" | "catalogs";

/** What `tools/call` is about, in words that are few: for telemetry. */
export interface Callee {
  /** Absent: no list has it, so that the caller may have made it up. */
  readonly name?: string;
  readonly app?: string;
}

/** A tool that is called by way of another is the one that counts. No upstream is asked: what it listed before is known. */
export function calleeOf(params: JsonObject, gateway: CalledGateway): Callee | undefined {
  const called = calledTool(params, gateway);
  if (called.kind === "none") return undefined;
  if (called.kind === "meta") return { name: called.name };
  const located = gateway.tools.get(called.name);
  if (located !== undefined) return { name: located.tool.name, app: located.app.name };
  return proxiedCallee(called.name, gateway);
}

/** The first app whose list has the name, else the only one whose namespace it has. */
function proxiedCallee(name: string, { proxies }: CalledGateway): Callee | undefined {
  const listing = proxies.apps.find((app) => proxies.catalogs.latest(app.name, "tools")?.byName.has(name));
  if (listing !== undefined) return { name, app: listing.name };
  const [named, second] = proxies.apps.filter(({ namespace }) => namespace !== "" && name.startsWith(namespace));
  return named !== undefined && second === undefined ? { app: named.name } : undefined;
}
