import { hintsAbout } from "#hints";
import type { Catalog } from "../openapi/catalog.ts";
import type { Runtime } from "./configuration.ts";
import { type Path, valueAt } from "./path.ts";
import type { AppPolicies } from "./policy-plans.ts";
import type { Problem } from "./rules/rule.ts";
import { appWarnings } from "./warnings/apps.ts";
import { openToolWarnings } from "./warnings/open-tools.ts";
import { webAppWarnings } from "./warnings/web-app.ts";

const OAUTH = ["mcpProvider", "authorization", "oauth", "enabled"];
/** Without the prefix another host can plant a session of its own (RFC 6265bis §4.1.3.2). */
const COOKIE = ["session", "cookie", "name"];

/** A plain document, valid; null stands for what is not filled yet and is not warned about. */
export interface WarningSources {
  readonly document: unknown;
  readonly catalogs: Readonly<Record<string, Catalog>>;
  /** Policies in Rego, by app name. */
  readonly policies: Readonly<Record<string, AppPolicies>>;
  readonly runtime: Runtime;
  /** Undefined where it is not known yet. */
  readonly publicURL: string | undefined;
}

type Warn = (path: Path, message: string) => void;

/** What a person should know about a document that starts nevertheless: what is open, or is not served, and what may be a mistake. */
export function warningsAbout(sources: WarningSources): readonly Problem[] {
  const { document, catalogs, publicURL } = sources;
  const warnings: Problem[] = [];
  const warn: Warn = (path, message) => warnings.push({ path, message });

  if (publicURL !== undefined && isPlainHttp(publicURL)) {
    warn(["http", "publicURL"], "tokens travel unprotected: use https for clients on other machines");
  }
  const cookie = valueAt(document, COOKIE);
  // With a domain the Console's cookie has a name of its own.
  const isShared = valueAt(document, ["session", "cookie", "domain"]) !== undefined;
  const isConsole = valueAt(document, ["console", "enabled"]) === true;
  if (isConsole && !isShared && typeof cookie === "string" && !/^__Host-/i.test(cookie)) {
    warn(COOKIE, "other hosts of the same domain can set this cookie: begin its name with __Host-");
  }
  const apps = listAt(document, ["apps"]);
  warnAboutGateway(document, apps, warn);
  return [
    ...warnings,
    ...(valueAt(document, OAUTH) === true ? openToolWarnings(apps, catalogs) : []),
    ...appWarnings(apps),
    ...webAppWarnings(document, publicURL),
    ...hintsAbout(sources, apps),
  ];
}

function warnAboutGateway(document: unknown, apps: readonly unknown[], warn: Warn): void {
  const enabled = valueAt(document, ["mcpProvider", "enabled"]);
  if (enabled === null) return;
  if (enabled !== true) {
    if (apps.some(isMcpApp)) warn(["apps"], "MCP apps need mcpProvider.enabled: true");
    return;
  }
  if (["stream", "sse"].every((name) => isOff(valueAt(document, ["mcpProvider", "transports", name, "enabled"])))) {
    warn(["mcpProvider", "transports"], "no transport is enabled: agents cannot connect");
  }
  if (isOff(valueAt(document, OAUTH))) {
    warn(OAUTH, "OAuth is off: callers have no identity and every tool is open to whoever reaches the gateway");
  }
}

function isMcpApp(app: unknown): boolean {
  const type = valueAt(app, ["type"]);
  return type === "mcpBridge" || type === "mcpProxy";
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
