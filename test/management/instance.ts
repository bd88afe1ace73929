import type { Dependencies } from "../../lib/application/dependencies.ts";
import { activated } from "../../lib/audit/deployment-events.ts";
import type { McpBridgeAppConfiguration } from "../../lib/config/app-configuration.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { Configuration, McpAuthorizationServer } from "../../lib/config/configuration.ts";
import type { GatewaySettings } from "../../lib/config/settings/settings.ts";
import {
  type ConfiguredSetting,
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
} from "../../lib/config/settings/settings.ts";
import { BUNDLE_BYTES } from "../../lib/deployment/bundle.ts";
import { type FollowedDeployment, followDeployment } from "../../lib/deployment/follow.ts";
import { latestRevision, raiseHighest, storeSource } from "../../lib/deployment/records.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import { managementDocument } from "../../lib/management/document.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import type { Forward } from "../../lib/reverse-proxy/forward.ts";
import { type Publisher, publisher, versioned } from "../deployment/bundles.ts";
import { CONSOLE } from "../support/configuration.ts";
import { type InProcess, ISSUER, PROVIDER as OWN, startInProcess } from "../support/in-process.ts";

/** The product in this process with all that the management API can show: a gateway before itself, connectors, settings. */
export interface ManagedInstance extends InProcess {
  /** A setup token that was not used yet; the one before is good no more. */
  newSetupToken(): string;
  /** A bundle of the revision after all that were made before. */
  newBundle(more?: string): Promise<{ readonly revision: number; readonly bytes: Uint8Array }>;
}

/** Whom `console.recoverOwner` names. */
export const RECOVERED = "owner@example.com";
export const CONNECTOR = "corp";
export const COOKIE = "__Host-countersign-console";

export interface ManagedOptions {
  readonly configuration?: Partial<Configuration>;
  /** What is outside; with it, addresses of this machine are asked for documents, too. */
  readonly outbound?: typeof globalThis.fetch;
  /** Who signs what is published; instances do unless given. */
  readonly signing?: "operator";
  /** How many people it takes to publish; one unless given. */
  readonly approvals?: 2;
}

export async function startManaged(options: ManagedOptions = {}): Promise<ManagedInstance> {
  let setupToken = "the first one";
  const configuration = { ...(await withEverything()), ...options.configuration };
  const ours = await publisher();
  const first = await versioned("0");
  let bundles = 0;
  const product = await startInProcess({
    configuration,
    adapt: (dependencies) => ({
      ...dependencies,
      configuration: () => {
        const { revision, configuration: current } = dependencies.configuration();
        return { revision, configuration: { ...current, console: { ...current.console, setupToken } } };
      },
      gatewaySettings: settingsAsConfigured(),
      deployment: published(dependencies, ours, { ...options, first }),
      outbound: () => options.outbound ?? elsewhere,
      forward: options.outbound === undefined ? () => documentElsewhere : dependencies.forward,
    }),
  });
  return {
    ...product,
    newSetupToken: () => {
      setupToken = crypto.randomUUID();
      return setupToken;
    },
    newBundle: async (more) => {
      const latest = latestRevision(await product.dependencies.stores.deployments.readDeployment());
      bundles = Math.max(bundles, latest) + 1;
      const revision = bundles;
      const about = { region: "us", revision };
      return { revision, bytes: await ours.bundle(await versioned(String(revision), more), about) };
    },
  };
}

/** What is published into the store. Nothing is swapped: the instance goes on as it was built. */
function published(
  dependencies: Dependencies,
  { keys, kid, privateKey }: Publisher,
  { first, signing, approvals }: ManagedOptions & { readonly first: ConfigurationArtifact },
): FollowedDeployment {
  const { deployments } = dependencies.stores;
  const { configuration: running } = dependencies.configuration();
  const region = running.oidcProvider?.region;
  let inUse = first;
  return followDeployment({
    ...dependencies,
    ...{ region, version: "0.1.0", highest: 0, source: storeSource(deployments), onRefused: () => undefined },
    settings: {
      ...{ source: new URL("store:"), keys, deployment: "production" },
      // One key is that of the operator and of the instances.
      ...(signing === undefined && { signing: "service", signer: { kid, key: privateKey } }),
      ...(approvals !== undefined && { approvals }),
      ...{ reload: true, interval: 30_000, fallback: true, limit: BUNDLE_BYTES },
    },
    takeOver: async (next, accept) => {
      await accept(running, running, inUse);
      inUse = next;
      return { secrets: new Map() };
    },
    artifact: () => inUse,
    keep: ({ publication }) => raiseHighest(deployments, publication, activated(dependencies, publication)),
  });
}

async function withEverything(): Promise<Partial<Configuration>> {
  return {
    console: {
      ...CONSOLE,
      enabled: true,
      baseURL: ISSUER,
      recoverOwner: RECOVERED,
      connectors: [CONNECTOR],
      regions: [{ region: "uk", url: "https://uk.example/console/" }],
      documentationURL: "https://docs.example/v1",
    },
    connectors: [
      {
        ...{ name: CONNECTOR, type: "oidc", wellKnownURL: `${PROVIDER}/.well-known/openid-configuration` },
        ...{ clientID: "countersign", clientSecret: "secret", clientAuthentication: "client_secret_basic" },
        ...{ scopes: ["openid"], disablePKCE: false, offlineAccess: false },
      },
    ],
    oidcProvider: {
      ...OWN,
      registration: {
        ...OWN.registration,
        ...{ dynamic: true, connectors: [CONNECTOR], allowedAudiences: [GATEWAY], scopes: ["openid", "notes:read"] },
      },
    },
    mcpProvider: {
      serverName: "gateway",
      stream: { path: "/mcp", resource: GATEWAY },
      oauth: { enabled: true, metadataPath: "/resource-metadata", servers: [OWN_SERVER] },
      allowedOrigins: [],
      allowedHosts: [new URL(ISSUER).host],
    },
    apps: [{ ...(await managementAsApp()), pins: { first: "trust" } }],
    vaultKeys: [base64url(new Uint8Array(32).fill(1))],
  };
}

/** The management API before itself. */
export async function managementAsApp(): Promise<McpBridgeAppConfiguration> {
  const text = JSON.stringify(managementDocument({ publicURL: ISSUER, cookieName: COOKIE }));
  const compiled = await compileCatalog(text, { app: "countersign", namespace: { disabled: false } });
  if ("errors" in compiled) throw new Error(compiled.errors.map(({ message }) => message).join("\n"));
  return {
    ...{ type: "mcpBridge", name: "countersign", catalog: compiled.catalog, baseURL: ISSUER, timeout: 1_000 },
    ...{ inboundTools: [], stepUp: [], outbound: { type: "unprotected" } },
  };
}

/** As the defaults have it, and in use whatever is set: what settings do is for other tests. */
function settingsAsConfigured(): GatewaySettings {
  const configured = { origin: "yaml" } as const;
  const all: readonly (readonly [SettingName, ConfiguredSetting])[] = SETTING_NAMES.map((name) => [
    name,
    { ...configured, value: VALUES[name] ?? "as configured" },
  ]);
  return {
    configured: () => Object.fromEntries(all) as Record<SettingName, ConfiguredSetting>,
    appliedRevision: () => 0,
    check: async () => [],
    overrides: {
      overridable: () => ["limits"],
      check: () => [],
      takeAttempt: () => true,
      leftOut: () => [],
      appliedRevision: () => 0,
    },
    use: async () => undefined,
    upToDate: async () => undefined,
  };
}

const VALUES: Readonly<Partial<Record<SettingName, SettingValue>>> = {
  ...{ enabled: true, allowClientTermination: true, oauthEnabled: true },
  limits: [{ name: "writes", for: { tool: "/create.*/" }, rate: "100/m" }],
};
const PROVIDER = "https://corp.example";
/** An MCP server that wants a credential. */
export const LOCKED_SERVER = "https://mcp.example/mcp";

/** The gateway as a resource. */
export const GATEWAY = `${ISSUER}/mcp`;
const OWN_SERVER: McpAuthorizationServer = {
  wellKnownEndpoint: OWN.endpoints.wellKnown,
  refreshInterval: 60_000,
  expectedAudiences: [GATEWAY],
  method: "introspection",
  clockSkew: 0,
};

const documentElsewhere: Forward = async () => {
  const { status, headers, body } = Response.json({ openapi: "3.1.1" });
  return { status, headers, body };
};

const elsewhere: typeof globalThis.fetch = async (input) =>
  input === LOCKED_SERVER ? new Response(null, { status: 401 }) : connectorMetadata();

/** OpenID Connect Discovery 1.0 §3. */
const connectorMetadata = () =>
  Response.json({
    issuer: PROVIDER,
    authorization_endpoint: `${PROVIDER}/authorize`,
    token_endpoint: `${PROVIDER}/token`,
    jwks_uri: `${PROVIDER}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  });
