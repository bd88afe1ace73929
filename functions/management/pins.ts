import type { Context } from "hono";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { createOrganizationOf } from "../../lib/gateway/organization.ts";
import type { PIN_OPERATIONS } from "../../lib/management/operations/pins.ts";
import { representAppPins, representHeldTool } from "../../lib/management/representations/pins.ts";
import type { AppPins, HeldTool, PinList } from "../../lib/management/schemas/pins.ts";
import {
  approveTool,
  forgetPins,
  heldTool,
  listPins,
  type PinDecisionPorts,
  refuseTool,
} from "../../lib/pins/decide-pins.ts";
import type { Env } from "../env.ts";
import { administrator, type PersonCaller } from "../middleware/caller.ts";
import { answerJson, readJsonBody } from "../middleware/json-body.ts";
import type { Endpoints, ManagedInstance } from "../middleware/management-endpoint.ts";
import { refuseUnknownQuery } from "../middleware/query.ts";

export const PIN_ENDPOINTS: Endpoints<typeof PIN_OPERATIONS> = {
  /** GET: the organization's apps with `pins`, and what is held of them. */
  listPins: (dependencies) => {
    const ports = portsOf(dependencies);
    return async (c, caller) => {
      refuseUnknownQuery(c, []);
      const items = await listPins(ports, caller.organizationId);
      return answerJson<PinList>(c, { items: items.map(representAppPins) });
    };
  },

  /** GET: a held version beside the approved ones. */
  showHeldTool: (dependencies) => {
    const ports = portsOf(dependencies);
    return async (c, caller) => {
      refuseUnknownQuery(c, []);
      const held = await heldTool(ports, caller.organizationId, appOf(c), c.req.param("digest") ?? "");
      return answerJson<HeldTool>(c, representHeldTool(held));
    };
  },

  /** POST `{digest}`: 200 once it is approved. */
  approveTool: (dependencies, instance) => deciding(dependencies, instance, approveTool),

  /** POST `{digest}`: 200 once it is refused. */
  refuseTool: (dependencies, instance) => deciding(dependencies, instance, refuseTool),

  /** POST `{tool?}`: 200 once it is forgotten. */
  forgetPins: (dependencies, instance) => deciding(dependencies, instance, forgetPins),
};

/** Agents that hold a stream here hear that lists are others. */
function deciding(
  dependencies: Dependencies,
  { gateway }: Pick<ManagedInstance, "gateway">,
  decide: typeof approveTool,
) {
  const ports = portsOf(dependencies);
  return async (c: Context<Env>, caller: PersonCaller): Promise<Response> => {
    refuseUnknownQuery(c, []);
    const decided = await decide(ports, administrator(caller, c), appOf(c), (await readJsonBody(c)) ?? {});
    gateway?.pins.decided(decided.app.name);
    gateway?.catalogChanges.note();
    return answerJson<AppPins>(c, representAppPins(decided));
  };
}

function portsOf(dependencies: Dependencies): PinDecisionPorts {
  return { ...dependencies, organizationOf: createOrganizationOf(dependencies) };
}

function appOf(c: Context<Env>): string {
  return c.req.param("app") ?? "";
}
