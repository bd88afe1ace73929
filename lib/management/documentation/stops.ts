import type { STOP_OPERATIONS } from "../operations/stops.ts";
import { NEW_STOP, STOP_CHANGE, STOP_END, STOP_LIST } from "../schemas/stops.ts";
import type { Documentation } from "./documentation.ts";
import { pathParameter } from "./documentation.ts";

export const STOP_DOCUMENTATION = {
  listStops: {
    summary: "What is stopped",
    description: "For the first organization everything, for others what they stopped themselves.",
    answers: [{ status: 200, description: "Newest first.", schema: STOP_LIST }],
  },
  placeStop: {
    summary: "Stop something, or end its tokens and sessions",
    description:
      "Of the first organization it holds for the whole instance, of others for what belongs to them. The same again changes the " +
      "reason. `conflict`: it is suspended, which is more than to end its tokens, or there are as many stops as there may be.",
    body: { schema: NEW_STOP },
    answers: [{ status: 200, description: "It is kept; when it is complete.", schema: STOP_CHANGE }],
    problems: ["conflict", "too_many_requests"],
  },
  liftStop: {
    summary: "Resume what is suspended",
    description:
      "Tokens and sessions from before stay over: new ones can be had. Apps, tools and upstream servers are open again. `not_found`: it " +
      "is not suspended.",
    parameters: [pathParameter("stopId", "`stopId` of the suspension.")],
    body: { schema: STOP_END },
    answers: [{ status: 200, description: "It is resumed; when every instance knows.", schema: STOP_CHANGE }],
    problems: ["conflict", "too_many_requests"],
  },
} as const satisfies Documentation<typeof STOP_OPERATIONS>;
