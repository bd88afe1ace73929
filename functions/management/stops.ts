import { ProblemError } from "../../lib/kernel/problem.ts";
import { createRateLimit } from "../../lib/kernel/rate-limit.ts";
import type { STOP_OPERATIONS } from "../../lib/management/operations/stops.ts";
import { representStop, representStopChange } from "../../lib/management/representations/stops.ts";
import type { StopChange, StopList } from "../../lib/management/schemas/stops.ts";
import { liftStop, listStops, placeStop } from "../../lib/stops/change-stops.ts";
import { administrator } from "../middleware/caller.ts";
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
  placeStop: (dependencies) => {
    const changes = createRateLimit(dependencies.clock, CHANGES);
    return async (c, caller) => {
      refuseUnknownQuery(c, []);
      if (!changes.take(caller.organizationId)) throw tooManyChanges();
      const change = await placeStop(dependencies, administrator(caller, c), await readJsonBody(c));
      return answerJson<StopChange>(c, representStopChange(change));
    };
  },

  /** POST `{reason}`: 200 once it is kept. */
  liftStop: (dependencies) => {
    const changes = createRateLimit(dependencies.clock, CHANGES);
    return async (c, caller) => {
      refuseUnknownQuery(c, []);
      if (!changes.take(caller.organizationId)) throw tooManyChanges();
      const stopId = c.req.param("stopId") ?? "";
      const change = await liftStop(dependencies, administrator(caller, c), stopId, await readJsonBody(c));
      return answerJson<StopChange>(c, representStopChange(change));
    };
  },
};

/** All organizations change one document: none of them keeps it busy for the others. */
const CHANGES = { capacity: 60, perSecond: 1 };

function tooManyChanges(): ProblemError {
  return new ProblemError("too_many_requests", "Your organization changed what is stopped too often. Try again later.");
}
