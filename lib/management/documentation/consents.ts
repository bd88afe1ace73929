import type { CONSENT_OPERATIONS } from "../operations/consents.ts";
import { CONNECTED_AGENT_PAGE, CONSENT } from "../schemas/consents.ts";
import type { Documentation } from "./documentation.ts";
import { PAGE, type Parameter, textQueryParameter } from "./documentation.ts";

const PARTIES: readonly Parameter[] = [
  { ...textQueryParameter("user", "As audit records name the person."), required: true },
  { ...textQueryParameter("client", "As audit records name the agent; for some a URL."), required: true },
];

export const CONSENT_DOCUMENTATION = {
  showConsent: {
    summary: "What a person allowed a client",
    parameters: PARTIES,
    answers: [{ status: 200, description: "The consent.", schema: CONSENT }],
    problems: ["not_found"],
  },
  revokeConsent: {
    summary: "Take a consent back",
    description:
      "The person's own; an owner may take back everybody's to clients of the organization. Every token that rests on it is over, and so " +
      "is every connection of the person that serves this client alone (`perAgent`).",
    parameters: PARTIES,
    answers: [{ status: 204, description: "It is taken back." }],
    problems: ["not_found"],
  },
  listConnectedAgents: {
    summary: "Agents that people allowed something",
    description:
      "The person's own, in every organization, newest first and all on one page. With `everyone`, for owners, those of everybody to " +
      "clients of the organization; in no order.",
    parameters: [{ name: "everyone", in: "query", schema: { type: "boolean", default: false } }, ...PAGE],
    answers: [{ status: 200, description: "What each was allowed, by whom.", schema: CONNECTED_AGENT_PAGE }],
  },
} as const satisfies Documentation<typeof CONSENT_OPERATIONS>;
