import { pageOf, type Shape, TIME } from "./common.ts";

/** What a person allowed a client. */
export const CONSENT = {
  title: "Consent",
  type: "object",
  properties: {
    user: { type: "string" },
    client: { type: "string" },
    scopes: { type: "array", items: { type: "string" } },
    resources: { type: "array", items: { type: "string" } },
    createdAt: TIME,
    updatedAt: TIME,
  },
  required: ["user", "client", "scopes", "resources", "createdAt", "updatedAt"],
  additionalProperties: false,
} as const;

export type Consent = Shape<typeof CONSENT>;

/** A consent with what is known of its client. */
export const CONNECTED_AGENT = {
  title: "ConnectedAgent",
  type: "object",
  properties: {
    ...CONSENT.properties,
    userName: {
      type: "string",
      description:
        "What the person was called when they last signed in for the agent: an e-mail address, if the identity provider told one. " +
        "Absent: it is not known, or not for this organization.",
    },
    name: {
      type: "string",
      description:
        "Of an app, as it is configured. Agents that registered themselves chose theirs. Absent: nothing is known of the agent but its id.",
    },
    hosts: {
      type: "array",
      items: { type: "string" },
      description: "Where people are sent back to; of an agent whose id is a URL, the host of that.",
    },
    lastUsedAt: {
      ...TIME,
      description: "When the agent last got a token, to the hour. Absent: it got none since this is noted.",
    },
  },
  required: [...CONSENT.required, "hosts"],
  additionalProperties: false,
} as const;

export const CONNECTED_AGENT_PAGE = pageOf("ConnectedAgentPage", CONNECTED_AGENT);

export type ConnectedAgent = Shape<typeof CONNECTED_AGENT>;
export type ConnectedAgentPage = Shape<typeof CONNECTED_AGENT_PAGE>;
