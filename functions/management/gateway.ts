import type { Context } from "hono";
import type { AuthorizationServerPorts } from "../../lib/authorization-server/ports.ts";
import { gatewayPart } from "../../lib/config/overrides/overrides.ts";
import type { GatewaySettings } from "../../lib/config/settings/settings.ts";
import { explainForOrganization } from "../../lib/gateway/explain/explain-for-organization.ts";
import { changeSettings, settingsFor } from "../../lib/gateway/settings.ts";
import { beginTrial, type Trying } from "../../lib/gateway/trial.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { createRateLimit } from "../../lib/kernel/rate-limit.ts";
import type { GATEWAY_OPERATIONS } from "../../lib/management/operations/gateway.ts";
import { readOverview } from "../../lib/management/overview.ts";
import {
  describeSettings,
  organizationUpstreams,
  representExplanation,
  representSession,
} from "../../lib/management/representations/gateway.ts";
import { createOrganizationTools, representTrial } from "../../lib/management/representations/tools.ts";
import type { CallExplanation } from "../../lib/management/schemas/explanations.ts";
import type { GatewaySettings as SettingsAnswer } from "../../lib/management/schemas/gateway-settings.ts";
import type { McpSessionList } from "../../lib/management/schemas/mcp-sessions.ts";
import { OVERVIEW_RANGE, type Overview } from "../../lib/management/schemas/overview.ts";
import type { ToolDetails, ToolList, Trial } from "../../lib/management/schemas/tools.ts";
import type { UpstreamList } from "../../lib/management/schemas/upstreams.ts";
import { listSessions, terminateSession } from "../../lib/mcp/sessions/administration.ts";
import type { SettingsRecord } from "../../lib/stores/settings.ts";
import type { Env } from "../env.ts";
import { administrator, type PersonCaller } from "../middleware/caller.ts";
import { entityTag, expectedRevision } from "../middleware/change-target.ts";
import { answerJson, answerNothing, readJsonBody } from "../middleware/json-body.ts";
import { pageQuery, shownPage } from "../middleware/list-page.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { choiceQuery, refuseUnknownQuery } from "../middleware/query.ts";

export const GATEWAY_ENDPOINTS: Endpoints<typeof GATEWAY_OPERATIONS> = {
  /** GET: live sessions of the organization's agents, newest first, in pages. */
  listMcpSessions: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["limit", "cursor"]);
    const page = await listSessions(dependencies, caller.organizationId, pageQuery(c));
    return answerJson<McpSessionList>(c, shownPage(c, page, representSession));
  },

  /** DELETE: 204 once the session is over, wherever it is used. */
  endMcpSession: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await terminateSession(dependencies, administrator(caller, c), c.req.param("sessionId") ?? "");
    return answerNothing(c);
  },

  /** GET: the tools of the organization's apps, and the operations that are none. `Need`: member, or `tools:read`. */
  listTools: (dependencies) => {
    const tools = createOrganizationTools(dependencies);
    return async (c, { organizationId }) => {
      refuseUnknownQuery(c, []);
      return answerJson<ToolList>(c, await tools.list(organizationId));
    };
  },

  /** GET: one of them with its schemas. */
  showTool: (dependencies) => {
    const tools = createOrganizationTools(dependencies);
    return async (c, { organizationId }) => {
      refuseUnknownQuery(c, []);
      return answerJson<ToolDetails>(c, await tools.one(organizationId, nameOf(c)));
    };
  },

  /** POST `{clientId?}`: 201 with a token to call the gateway with. */
  tryTool: (dependencies) => {
    const tools = createOrganizationTools(dependencies);
    return async (c, caller) => {
      refuseUnknownQuery(c, []);
      const { name: tool } = await tools.one(caller.organizationId, nameOf(c));
      return answerTrial(c, dependencies, { ...trying(caller, c), tool });
    };
  },

  /** POST `{clientId?}`: the same, to list tools with. */
  tryTools: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    return answerTrial(c, dependencies, trying(caller, c));
  },

  /** POST `{tool, arguments?, clientId, person?, scopes?}` or `{tool, arguments?, claims}`: 200 with the steps of the decision. */
  explainCall: (dependencies, { gateway }) => {
    const asked = createRateLimit(dependencies.clock, EXPLANATIONS);
    return async (c, { organizationId }) => {
      refuseUnknownQuery(c, []);
      if (gateway === undefined) throw new ProblemError("conflict", "This instance has no gateway.");
      if (!asked.take(organizationId))
        throw new ProblemError("too_many_requests", "Your organization asked too often. Try again later.");
      const ports = { ...dependencies, gateway };
      const explained = await explainForOrganization(ports, organizationId, await readJsonBody(c));
      return answerJson<CallExplanation>(c, representExplanation(explained));
    };
  },

  /** GET: the gateway's settings with the origin of each. `Need`: member of the first organization. */
  showGatewaySettings:
    (dependencies) =>
    async (c, { organizationId }) => {
      refuseUnknownQuery(c, []);
      const gatewaySettings = await settingsFor(dependencies, organizationId);
      return answerSettings(c, await dependencies.stores.settings.readSettings(), gatewaySettings);
    },

  /** PUT `{<name>?: value | null}`: all that is set here; the rest is as the YAML document has it. */
  replaceGatewaySettings: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const gatewaySettings = await settingsFor(dependencies, caller.organizationId);
    const change = { input: await readJsonBody(c), ...expectedRevision(c) };
    const record = await changeSettings(dependencies, gatewaySettings, administrator(caller, c), change);
    return answerSettings(c, record, gatewaySettings);
  },

  /** GET: health, agents' sessions, the time that `range` says, the latest refusals, and what a new installation lacks. */
  showOverview:
    (dependencies, { health }) =>
    async (c, { id, organizationId }) => {
      refuseUnknownQuery(c, ["range"]);
      const range = choiceQuery(c, "range", OVERVIEW_RANGE.enum) ?? "1h";
      const report = await health(c.get("request").waitUntil);
      return answerJson<Overview>(c, await readOverview(dependencies, { organizationId, userId: id }, report, range));
    },

  /** GET: what is behind the organization's apps, as this instance found it lately. `Need`: member, or `tools:read`. */
  listUpstreams:
    (_dependencies, { gateway, webGateway }) =>
    async (c, { organizationId }) => {
      refuseUnknownQuery(c, []);
      const asked = gateway ?? webGateway?.ports;
      return answerJson<UpstreamList>(c, {
        items: asked === undefined ? [] : await organizationUpstreams(asked, organizationId),
      });
    },
};

/** Servers of policies are asked. */
const EXPLANATIONS = { capacity: 60, perSecond: 2 };

function nameOf(c: Context<Env>): string {
  return c.req.param("name") ?? "";
}

function trying(caller: PersonCaller, c: Context<Env>): Trying {
  return { ...administrator(caller, c), isOwner: caller.role === "owner" };
}

async function answerTrial(c: Context<Env>, ports: AuthorizationServerPorts, given: Trying): Promise<Response> {
  return answerJson<Trial>(c, representTrial(await beginTrial(ports, given, await readJsonBody(c))), 201);
}

function answerSettings(c: Context<Env>, record: SettingsRecord, gatewaySettings: GatewaySettings): Response {
  c.header("ETag", entityTag(gatewayPart(record).revision));
  return answerJson<SettingsAnswer>(c, describeSettings(record, gatewaySettings));
}
