import type { Catalog } from "../bridge/catalog.ts";
import { inboundScopes } from "./inbound-scopes.ts";
import { type Path, valueAt } from "./path.ts";
import type { Runtime } from "./resolve.ts";
import type { Problem } from "./rules/rule.ts";

const NOT_YET = "accepted, not yet in effect";
const OAUTH = ["mcpProvider", "authorization", "oauth", "enabled"];

/** Keys that are checked and change nothing, each with what to say. */
const WITHOUT_EFFECT: readonly (readonly [path: Path, message: string])[] = [
  [["health", "heartbeat"], NOT_YET],
  [["logger", "timeFormat"], NOT_YET],
  [["logger", "logSessionID"], NOT_YET],
  [["logger", "fieldOrdering"], NOT_YET],
  [["session", "store"], "accepted, without effect: sessions live in the runtime's store"],
  [["caches"], "accepted, without effect: state lives in the runtime's store"],
  [["console", "passkeys"], NOT_YET],
  [["mcpProvider", "catalog"], NOT_YET],
  [["oidcProvider", "correlateSession"], NOT_YET],
  [["oidcProvider", "cache"], "accepted, without effect: state lives in the runtime's store"],
  [["oidcProvider", "discovery", "endpoints", "userinfo"], NOT_YET],
];

/** A plain document, valid; null stands for what is not filled yet and is not warned about. */
export interface WarningSources {
  readonly document: unknown;
  readonly catalogs: Readonly<Record<string, Catalog>>;
  readonly runtime: Runtime;
  /** Undefined where it is not known yet. */
  readonly publicURL: string | undefined;
}

type Warn = (path: Path, message: string) => void;

/** What a person should know about a document that starts nevertheless. */
export function warningsAbout({ document, catalogs, runtime, publicURL }: WarningSources): readonly Problem[] {
  const warnings: Problem[] = WITHOUT_EFFECT.filter(([path]) => valueAt(document, path) !== undefined).map(
    ([path, message]) => ({ path, message }),
  );
  const warn: Warn = (path, message) => warnings.push({ path, message });

  if (valueAt(document, ["audit", "delivery"]) === "background") {
    warn(["audit", "delivery"], "accepted, without effect: every call waits for its audit record");
  }
  if (runtime !== "node" && valueAt(document, ["http", "address"]) !== undefined) {
    warn(["http", "address"], "without effect: this runtime has no listener of its own");
  }
  if (publicURL !== undefined && isPlainHttp(publicURL)) {
    warn(["http", "publicURL"], "tokens travel unprotected: use https for clients on other machines");
  }
  const apps = listAt(document, ["apps"]);
  warnAboutGateway(document, apps, warn);
  if (valueAt(document, OAUTH) === true) warnAboutOpenTools(apps, catalogs, warn);
  for (const [index, app] of apps.entries()) {
    if (valueAt(app, ["type"]) === "proxy")
      warn(["apps", index], "accepted, not yet in effect: its routes are not served");
  }
  return warnings;
}

function warnAboutGateway(document: unknown, apps: readonly unknown[], warn: Warn): void {
  const enabled = valueAt(document, ["mcpProvider", "enabled"]);
  if (enabled === null) return;
  if (enabled !== true) {
    if (apps.some(isBridge)) warn(["apps"], "MCP apps need mcpProvider.enabled: true");
    return;
  }
  if (isOff(valueAt(document, ["mcpProvider", "transports", "stream", "enabled"]))) {
    warn(["mcpProvider", "transports"], "no transport is enabled: agents cannot connect");
  }
  if (isOff(valueAt(document, OAUTH))) {
    warn(OAUTH, "OAuth is off: callers have no identity and every tool is open to whoever reaches the gateway");
  }
}

/** Tools without scopes are open by intention or by oversight; only the owner of the document can tell. */
function warnAboutOpenTools(apps: readonly unknown[], catalogs: WarningSources["catalogs"], warn: Warn): void {
  for (const [index, app] of apps.entries()) {
    const name = valueAt(app, ["name"]);
    if (!isBridge(app) || typeof name !== "string" || !Object.hasOwn(catalogs, name)) continue;
    const tools = catalogs[name]?.tools ?? [];
    const open = tools.filter(({ localName }) => inboundScopes(app, localName).length === 0);
    if (open.length === 0) continue;
    const count = `${open.length} of ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
    const message = `${count} of the app ${name} need no scope: every authenticated agent may call them`;
    warn(["apps", index, "authorization", "inbound"], message);
  }
}

function isBridge(app: unknown): boolean {
  return valueAt(app, ["type"]) === "mcpBridge";
}

function isOff(value: unknown): boolean {
  return value !== true && value !== null;
}

function isPlainHttp(publicURL: string): boolean {
  const { protocol, hostname } = new URL(publicURL);
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function listAt(document: unknown, path: Path): readonly unknown[] {
  const value = valueAt(document, path);
  return Array.isArray(value) ? value : [];
}
