import type { Context } from "hono";
import type { GatewaySettings } from "../../lib/config/settings/gateway-settings.ts";
import { settingsFor } from "../../lib/gateway/settings/access.ts";
import { changeSettings } from "../../lib/gateway/settings/change.ts";
import { describeSettings } from "../../lib/gateway/settings/describe.ts";
import type { GatewaySettings as SettingsAnswer } from "../../lib/management/schemas/gateway-settings.ts";
import type { SettingsRecord } from "../../lib/stores/settings.ts";
import type { Endpoint, Env } from "../env.ts";
import { administrator, authenticatePerson } from "../middleware/caller.ts";
import { answerJson, readJsonBody } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";
import { entityTag, expectedRevision } from "../middleware/revision.ts";

/** GET: the gateway's settings with the origin of each. `Need`: member of the first organization. */
export const showGatewaySettings: Endpoint = (dependencies) => async (c) => {
  const { organizationId } = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  const gatewaySettings = await settingsFor(dependencies, organizationId);
  return answerSettings(c, await dependencies.stores.settings.readSettings(), gatewaySettings);
};

/** PUT `{<name>?: value | null}`: all that is set here; the rest is as the YAML document has it. */
export const replaceGatewaySettings: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "owner");
  refuseUnknownQuery(c, []);
  const gatewaySettings = await settingsFor(dependencies, caller.organizationId);
  const change = { input: await readJsonBody(c), ...expectedRevision(c) };
  const record = await changeSettings(dependencies, gatewaySettings, administrator(caller, c), change);
  return answerSettings(c, record, gatewaySettings);
};

function answerSettings(c: Context<Env>, record: SettingsRecord, gatewaySettings: GatewaySettings): Response {
  c.header("ETag", entityTag(record.revision));
  return answerJson<SettingsAnswer>(c, describeSettings(record, gatewaySettings));
}
