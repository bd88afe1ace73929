import type { Catalog } from "../../bridge/catalog.ts";
import type {
  AppConfiguration,
  McpBridgeAppConfiguration,
  OidcAppConfiguration,
  StepUpConfiguration,
  UpstreamCredential,
} from "../app-configuration.ts";
import type { FilledParts } from "../fill.ts";
import { type HeaderPart, headerParts, type UpstreamHeader } from "../header-template.ts";
import { reasonsNotServed } from "../not-served.ts";
import { pathText } from "../path.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report } from "./http.ts";
import { assembleOidcApp } from "./oidc-apps.ts";
import { assembleOutbound, type Issuers } from "./outbound.ts";
import { assemblePolicies } from "./policies.ts";
import { present } from "./present.ts";

type AppDocument = ConfigurationDocument["apps"][number];
type BridgeDocument = Extract<AppDocument, { type: "mcpBridge" }>;

interface Context extends Omit<Issuers, "clients"> {
  /** Of the `mcpBridge` apps that are served, by app name. */
  readonly catalogs: Readonly<Record<string, Catalog>>;
  /** Names of the connectors that people can sign in at. */
  readonly signIn: readonly string[];
  /** How each placeholder is written in the document, by path text. */
  readonly written: ReadonlyMap<string, string>;
  /** How texts with secrets in them were put together, by path text. */
  readonly withSecrets: ReadonlyMap<string, FilledParts>;
  readonly report: Report;
}

/** The apps that this version serves, clients of the provider first; `warnings/apps.ts` tells of the others. */
export function assembleApps(apps: readonly AppDocument[], context: Context): readonly AppConfiguration[] {
  const { catalogs, signIn, written, withSecrets, report } = context;
  const clients = apps.flatMap((app): OidcAppConfiguration[] =>
    app.type === "oidc" ? [assembleOidcApp(app, signIn)] : [],
  );
  const bridges = apps.flatMap((app, index): McpBridgeAppConfiguration[] => {
    if (app.type !== "mcpBridge" || reasonsNotServed(app).length > 0) return [];
    const catalog = Object.hasOwn(catalogs, app.name) ? catalogs[app.name] : undefined;
    if (catalog === undefined || app.openapi.baseURL === undefined) {
      report(["apps", index, "openapi"], "the artifact has no catalog for this app; compile the configuration again");
      return [];
    }
    const outbound = ["apps", index, "authorization", "outbound"];
    return [
      {
        ...assembleBridgeApp(app, app.openapi.baseURL, catalog),
        ...assembleCarried(app.upstream, (name) => {
          const path = pathText(["apps", index, "upstream", "headers", name]);
          return { isWritten: !written.has(path), secretParts: withSecrets.get(path) };
        }),
        outbound: assembleOutbound(app.authorization.outbound, outbound, { ...context, clients }, report),
      },
    ];
  });
  return [...clients, ...bridges];
}

function assembleBridgeApp(
  app: BridgeDocument,
  baseURL: string,
  catalog: Catalog,
): Omit<McpBridgeAppConfiguration, "outbound"> {
  const { inbound } = app.authorization;
  const policies = assemblePolicies(inbound);
  return {
    type: "mcpBridge",
    name: app.name,
    ...present({ organization: app.organization }),
    catalog,
    baseURL: baseURL.endsWith("/") ? baseURL.slice(0, -1) : baseURL,
    timeout: app.upstream.timeout,
    ...present({ tls: app.upstream.tls }),
    inboundTools: inbound.tools,
    ...(policies.length > 0 && { policies }),
    stepUp: inbound.stepUp.map(assembleStepUp),
  };
}

interface HeaderOrigin {
  /** The value stands in the configuration as it is. */
  readonly isWritten: boolean;
  /** Undefined where no secret is in it. */
  readonly secretParts: FilledParts | undefined;
}

/** @param originOf where a header's value comes from */
function assembleCarried(
  { headers = {}, auth = {} }: BridgeDocument["upstream"],
  originOf: (name: string) => HeaderOrigin,
): Pick<McpBridgeAppConfiguration, "headers" | "auth"> {
  const templates = Object.entries(headers).map(([name, value]): UpstreamHeader => {
    const { isWritten, secretParts } = originOf(name);
    const isSecret = !isWritten || name.toLowerCase() === "authorization";
    const parts = secretParts?.flatMap(partsOf) ?? headerParts(value);
    return { name: name.toLowerCase(), parts, ...(isSecret && { isSecret }) };
  });
  const credentials = Object.entries(auth).flatMap(
    ([scheme, { value, username, password }]): [string, UpstreamCredential][] => {
      if (value !== undefined) return [[scheme, { value }]];
      return username === undefined || password === undefined ? [] : [[scheme, { username, password }]];
    },
  );
  return {
    ...(templates.length > 0 && { headers: templates }),
    ...(credentials.length > 0 && { auth: Object.fromEntries(credentials) }),
  };
}

/** What a secret holds is never read as a template, whatever it looks like. */
function partsOf({ text, isSecret }: FilledParts[number]): readonly HeaderPart[] {
  return isSecret ? [{ text, isSecret }] : headerParts(text);
}

function assembleStepUp({
  tools,
  acr,
  maxAge,
}: BridgeDocument["authorization"]["inbound"]["stepUp"][number]): StepUpConfiguration {
  return { tools, ...present({ acr: typeof acr === "string" ? [acr] : acr, maxAge }) };
}
