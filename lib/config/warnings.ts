import type { Configuration } from "./configuration.ts";
import { type Path, valueAt } from "./path.ts";
import type { Runtime } from "./resolve.ts";
import type { Problem } from "./rules/rule.ts";

const NOT_YET = "accepted, not yet in effect";

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
  [["oidcProvider", "discovery", "endpoints", "auth"], NOT_YET],
  [["oidcProvider", "discovery", "endpoints", "userinfo"], NOT_YET],
];

/** What a person should know about a document that starts nevertheless. `document` has its placeholders filled. */
export function warningsAbout(document: unknown, configuration: Configuration, runtime: Runtime): readonly Problem[] {
  const warnings: Problem[] = WITHOUT_EFFECT.filter(([path]) => valueAt(document, path) !== undefined).map(
    ([path, message]) => ({ path, message }),
  );
  const warn = (path: Path, message: string) => warnings.push({ path, message });

  if (valueAt(document, ["audit", "delivery"]) === "background") {
    warn(["audit", "delivery"], "accepted, without effect: every call waits for its audit record");
  }
  if (runtime !== "node" && valueAt(document, ["http", "address"]) !== undefined) {
    warn(["http", "address"], "without effect: this runtime has no listener of its own");
  }
  if (isPlainHttp(configuration.publicURL)) {
    warn(["http", "publicURL"], "tokens travel unprotected: use https for clients on other machines");
  }
  warnAboutGateway(configuration, warn);
  for (const [index, app] of listAt(document, ["apps"]).entries()) {
    if (valueAt(app, ["type"]) === "proxy")
      warn(["apps", index], "accepted, not yet in effect: its routes are not served");
  }
  return warnings;
}

function warnAboutGateway({ mcpProvider, apps }: Configuration, warn: (path: Path, message: string) => void): void {
  if (mcpProvider === undefined) {
    if (apps.some((app) => app.type === "mcpBridge")) warn(["apps"], "MCP apps need mcpProvider.enabled: true");
    return;
  }
  if (!mcpProvider.stream.enabled) {
    warn(["mcpProvider", "transports"], "no transport is enabled: agents cannot connect");
  }
  if (!mcpProvider.oauth.enabled) {
    const message = "OAuth is off: callers have no identity and every tool is open to whoever reaches the gateway";
    warn(["mcpProvider", "authorization", "oauth", "enabled"], message);
  }
}

function isPlainHttp(publicURL: string): boolean {
  const { protocol, hostname } = new URL(publicURL);
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function listAt(document: unknown, path: Path): readonly unknown[] {
  const value = valueAt(document, path);
  return Array.isArray(value) ? value : [];
}
