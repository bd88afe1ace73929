import type {
  McpAppConfiguration,
  McpProxyAppConfiguration,
  TokenExchangeConfiguration,
} from "../../config/app-configuration.ts";
import { present } from "../../config/assemble/context.ts";
import { DEFAULT_TTL, type ExchangeTerms } from "../../gateway/credentials/exchange.ts";
import { membersByDefault } from "../../gateway/memberships.ts";
import { createOrganizationOf } from "../../gateway/organization.ts";
import { namedTools } from "../../gateway/proxied/locate.ts";
import { type BridgedTool, bridgeApps, createToolIndex, mcpApps, proxyApps } from "../../gateway/tool-index.ts";
import { createToolTerms, type ToolTerms } from "../../gateway/tool-terms.ts";
import type { Trial as IssuedTrial } from "../../gateway/trial.ts";
import { ProblemError } from "../../kernel/problem.ts";
import type { ManagementPorts } from "../ports.ts";
import type { McpServer, Tool, ToolDetails, ToolList, Trial } from "../schemas/tools.ts";

export interface OrganizationTools {
  /** What its apps offer, and the operations that became no tool. */
  list(organizationId: string): Promise<ToolList>;
  /**
   * Of a tool of an MCP server what the configuration says: whether the server has one of that name, it tells to agents.
   *
   * @throws ProblemError `not_found` for a name that no app of the organization has or could have
   */
  one(organizationId: string, name: string): Promise<ToolDetails>;
}

/** Built once a configuration. */
export function createOrganizationTools(dependencies: ManagementPorts): OrganizationTools {
  const { configuration } = dependencies.configuration();
  const { apps } = configuration;
  const tools = createToolIndex(apps);
  const organizationOf = createOrganizationOf(dependencies);
  const byDefault = membersByDefault(configuration);
  const ownApps = async (organizationId: string) => {
    const own: McpAppConfiguration[] = [];
    for (const app of mcpApps(apps)) if ((await organizationOf(app)) === organizationId) own.push(app);
    return own;
  };
  return {
    async list(organizationId) {
      const own = await ownApps(organizationId);
      return {
        items: [...tools.values()].filter(({ app }) => own.includes(app)).map(represent),
        servers: proxyApps(own).map((app) => server(app, byDefault)),
        leftOut: bridgeApps(own).flatMap(({ name, catalog }) =>
          catalog.leftOut.map(({ localName: _, ...operation }) => ({ app: name, ...operation })),
        ),
      };
    },
    async one(organizationId, name) {
      const tool = tools.get(name);
      if (tool !== undefined && (await organizationOf(tool.app)) === organizationId)
        return bridgedDetails(tool, byDefault);
      const servers = tool === undefined ? proxyApps(await ownApps(organizationId)) : [];
      const [named, ...others] = await namedTools(name, servers);
      if (named === undefined) throw new ProblemError("not_found", "Your organization has no such tool.");
      const { app, upstreamName: localName } = named;
      const terms = createToolTerms(app)(localName);
      return {
        ...{ name, localName, app: app.name, annotations: {} },
        ...representTerms(terms),
        ...detailsOf({ app, ...terms }, byDefault),
        server: { origin: new URL(app.url).origin, others: others.map((other) => other.app.name) },
      };
    },
  };
}

type Members = ToolDetails["members"];

function bridgedDetails(tool: BridgedTool, byDefault: Members): ToolDetails {
  const { inputSchema, outputSchema } = tool.listed();
  return { ...represent(tool), ...detailsOf(tool, byDefault), inputSchema, ...present({ outputSchema }) };
}

/** Of credentials kinds and names alone. */
function detailsOf(
  { app, stepUp, approval, connection }: { readonly app: McpAppConfiguration } & ToolTerms,
  byDefault: Members,
) {
  return {
    ...appDetails(app, byDefault),
    credential: { ...credentialOf(app), ...present({ scopes: connection?.scopes }) },
    ...present({
      stepUp: stepUp && present({ acr: stepUp.acr, maxAge: stepUp.maxAge && inSeconds(stepUp.maxAge) }),
      approval: approval && { by: approval.by, conditional: approval.when !== undefined },
    }),
  };
}

/** What holds for all tools of an app. */
function appDetails({ policies = [], members, pins }: McpAppConfiguration, byDefault: Members) {
  return {
    policies: policies.map(({ name, engine }) => ({ name, engine })),
    members: members ?? byDefault,
    pinned: pins !== undefined,
  };
}

function credentialOf({ outbound, headers = [], ...app }: McpAppConfiguration): McpServer["credential"] {
  return {
    kind: outbound.type,
    schemes: "auth" in app ? Object.keys(app.auth ?? {}) : [],
    headers: headers.map(({ name }) => name),
    ...(outbound.type === "tokenExchange" && { issuer: outbound.idp }),
    ...(outbound.type === "userToken" && { issuer: outbound.connector }),
  };
}

export function representTrial({ text, url, token, issuer: iss }: IssuedTrial): Trial {
  const { subject, clientId, audience, scopes, expiresAt } = token;
  return {
    accessToken: text,
    url,
    expiresAt: new Date(expiresAt).toISOString(),
    claims: {
      ...{ iss, sub: subject, client_id: clientId, aud: audience, scope: scopes.join(" ") },
      exp: Math.floor(expiresAt / 1_000),
    },
  };
}

function server(app: McpProxyAppConfiguration, byDefault: Members): McpServer {
  const { name, url, namespace, include, exclude, inboundTools, outbound, stepUp, rules = [] } = app;
  return {
    app: name,
    origin: new URL(url).origin,
    namespace,
    ...(include !== undefined && { include }),
    ...(exclude !== undefined && { exclude }),
    inbound: inboundTools,
    ...conditionsOf(
      app,
      stepUp.length > 0,
      rules.some(({ approval }) => approval !== undefined),
    ),
    ...appDetails(app, byDefault),
    credential: credentialOf(app),
    ...(outbound.type === "tokenExchange" && { exchange: serverExchange(outbound) }),
  };
}

function serverExchange({ mode, audience, tools }: TokenExchangeConfiguration): McpServer["exchange"] {
  return {
    mode,
    audience,
    ttl: inSeconds(DEFAULT_TTL),
    tools: tools.map(({ name, scopes, ttl }) => ({ name, scopes, ttl: inSeconds(ttl) })),
  };
}

function represent({ tool, app, ...terms }: BridgedTool): Tool {
  return {
    name: tool.name,
    localName: tool.localName,
    app: app.name,
    ...(tool.title !== undefined && { title: tool.title }),
    ...(tool.description !== undefined && { description: tool.description }),
    method: tool.method,
    path: tool.path,
    ...representTerms(terms),
    ...conditionsOf(app, terms.stepUp !== undefined, terms.approval !== undefined),
    annotations: tool.annotations,
  };
}

/** What is decided with each call, whatever the token's scopes are. */
function conditionsOf(
  { policies = [], outbound, pins }: McpAppConfiguration,
  stepUp: boolean,
  approval: boolean,
): Pick<Tool, "conditions"> {
  const all = {
    policies: policies.length > 0,
    stepUp,
    approval,
    connection: outbound.type === "userToken",
    pins: pins !== undefined,
  };
  const conditions = (Object.keys(all) as (keyof typeof all)[]).filter((condition) => all[condition]);
  return conditions.length === 0 ? {} : { conditions };
}

function representTerms({ scopes, hasNoRule, terms }: ToolTerms): Pick<Tool, "scopes" | "denied" | "exchange"> {
  return {
    scopes,
    ...(hasNoRule && { denied: true as const }),
    ...(terms !== undefined && { exchange: toolExchange(terms) }),
  };
}

function toolExchange({ mode, audience, scopes, ttl }: ExchangeTerms): Tool["exchange"] {
  return { mode, audience, scopes, ttl: inSeconds(ttl) };
}

function inSeconds(milliseconds: number): number {
  return milliseconds / 1_000;
}
