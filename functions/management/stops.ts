import type { Context } from "hono";
import type { STOP_OPERATIONS } from "../../lib/management/operations/stops.ts";
import { representStop, representStopChange } from "../../lib/management/representations/stops.ts";
import type { StopChange, StopList } from "../../lib/management/schemas/stops.ts";
import { liftStop, listStops, placeStop } from "../../lib/stops/change-stops.ts";
import type { StopActor } from "../../lib/stops/requested-stop.ts";
import type { Env } from "../env.ts";
import type { Caller } from "../middleware/caller.ts";
import { answerJson, readJsonBody } from "../middleware/json-body.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { refuseUnknownQuery } from "../middleware/query.ts";

export const STOP_ENDPOINTS: Endpoints<typeof STOP_OPERATIONS> = {
  /** GET: what is stopped, newest first. */
  listStops: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const stops = await listStops(dependencies, caller);
    return answerJson<StopList>(c, { items: stops.map(representStop) });
  },

  /** POST `{kind, id, issuer?, state, reason}`: 200 once it is kept. */
  placeStop: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const change = await placeStop(dependencies, actor(caller, c), await readJsonBody(c));
    return answerJson<StopChange>(c, representStopChange(change));
  },

  /** POST `{reason}`: 200 once it is kept. */
  liftStop: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const stopId = c.req.param("stopId") ?? "";
    const change = await liftStop(dependencies, actor(caller, c), stopId, await readJsonBody(c));
    return answerJson<StopChange>(c, representStopChange(change));
  },
};

function actor({ id, organizationId }: Caller, c: Context<Env>): StopActor {
  return { id, organizationId, requestId: c.get("request").requestId };
}
