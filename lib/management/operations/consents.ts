import { CONSENT } from "../schemas/consents.ts";
import { type Operation, type Parameter, textQueryParameter } from "./operation.ts";

const PARTIES: readonly Parameter[] = [
  { ...textQueryParameter("user", "As audit records name the person."), required: true },
  { ...textQueryParameter("client", "As audit records name the agent; for some a URL."), required: true },
];

export const CONSENT_OPERATIONS = [
  {
    operationId: "showConsent",
    method: "get",
    path: "/api/v1/consents",
    summary: "What a person allowed a client",
    parameters: PARTIES,
    answers: [{ status: 200, description: "The consent.", schema: CONSENT }],
    problems: ["not_found"],
    access: { role: "member" },
  },
  {
    operationId: "revokeConsent",
    method: "delete",
    path: "/api/v1/consents",
    summary: "Take a consent back",
    description:
      "Every token that rests on it is over, and so is every connection of the person that serves this client alone (`perAgent`).",
    parameters: PARTIES,
    answers: [{ status: 204, description: "It is taken back." }],
    problems: ["not_found"],
    access: { role: "owner" },
  },
] as const satisfies readonly Operation[];
