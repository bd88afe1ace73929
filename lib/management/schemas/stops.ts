import { STOP_KINDS } from "../../stores/stops.ts";
import { listOf, type Shape, TIME } from "./common.ts";

const TARGET = {
  kind: { enum: STOP_KINDS },
  id: {
    type: "string",
    description:
      "`org_…`, `client_…`, `key_…`, the `sub` of a person, the client id of an agent, the name of an app, `app/tool`, or the " +
      "URL or origin of an upstream server.",
  },
  issuer: {
    type: "string",
    description:
      "Of a person or agent that comes with tokens of another authorization server. Absent: this region's own.",
  },
} as const;

const STATE = {
  enum: ["suspended", "ended"],
  description:
    "`suspended`: until it is resumed. `ended`: what began before `at`, and nothing that begins later. Apps, tools and upstream " +
    "servers can be suspended alone.",
} as const;

const REASON = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: "For the audit log and for those who resume.",
} as const;

export const STOP = {
  title: "Stop",
  type: "object",
  properties: {
    stopId: { type: "string", description: "`stop_…`." },
    ...TARGET,
    organizationId: {
      type: "string",
      description: "It holds for what belongs to this organization. Absent: for the whole instance.",
    },
    state: STATE,
    at: TIME,
    reason: REASON,
    by: { type: "string", description: "`user_…`, the operator, or `signal:` and the name of a connector." },
  },
  required: ["stopId", "kind", "id", "state", "at", "reason", "by"],
  additionalProperties: false,
} as const;

export const STOP_LIST = listOf("StopList", STOP);

export const NEW_STOP = {
  title: "NewStop",
  type: "object",
  properties: { ...TARGET, state: STATE, reason: REASON },
  required: ["kind", "id", "state", "reason"],
  additionalProperties: false,
} as const;

export const STOP_END = {
  title: "StopEnd",
  type: "object",
  properties: { reason: REASON },
  required: ["reason"],
  additionalProperties: false,
} as const;

/** `stop` is what holds now; it is absent where nothing is left of it. */
export const STOP_CHANGE = {
  title: "StopChange",
  type: "object",
  properties: {
    stop: STOP,
    ownTokens: {
      enum: ["now", "soon"],
      description:
        "`now`: tokens of this region are refused from the next request on. `soon`: a part of the store was not reached; it is told " +
        "as soon as it answers, or when the same request is sent again.",
    },
    acceptedUntil: { ...TIME, description: "From then on no instance accepts a call that it stops." },
    runningUntil: { ...TIME, description: "By then calls and streams that had begun have ended." },
  },
  required: ["ownTokens", "acceptedUntil", "runningUntil"],
  additionalProperties: false,
} as const;

export type Stop = Shape<typeof STOP>;
export type StopList = Shape<typeof STOP_LIST>;
export type StopChange = Shape<typeof STOP_CHANGE>;
