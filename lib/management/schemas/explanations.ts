import type { Shape } from "./common.ts";

const TOOL = { type: "string", minLength: 1, maxLength: 512, description: "The name that agents see." } as const;

/** A call that is not made: a client of the organization, or the claims of any token. */
export const ASKED_EXPLANATION = {
  title: "AskedExplanation",
  type: "object",
  properties: {
    tool: TOOL,
    arguments: { type: "object", description: "As the agent writes them. Absent: none." },
    clientId: {
      type: "string",
      minLength: 1,
      maxLength: 512,
      description:
        "A client of the organization: an API client, an `oidc` app, or, in the first organization, one that came by itself.",
    },
    person: {
      type: "string",
      minLength: 1,
      maxLength: 512,
      description:
        "With `clientId`: the person that it acts for, as audit records name them. Absent: it acts for itself.",
    },
    scopes: {
      type: "array",
      maxItems: 200,
      items: { type: "string", minLength: 1, maxLength: 200 },
      description: "With `clientId`: the scopes of its token. Absent: all that it may ask for.",
    },
    claims: { type: "object", description: "The claims of the agent's token, in place of `clientId`." },
  },
  required: ["tool"],
  additionalProperties: false,
} as const;

const DECISION = { enum: ["allowed", "denied"] } as const;

/** What would be decided on a call, step by step. */
export const CALL_EXPLANATION = {
  title: "CallExplanation",
  type: "object",
  properties: {
    tool: { type: "string" },
    decision: {
      ...DECISION,
      description: "`denied` where a step denies: the first that does is what the agent is told.",
    },
    claims: { type: "object", description: "What the caller's token would say." },
    steps: {
      type: "array",
      items: {
        type: "object",
        properties: {
          step: { type: "string" },
          name: { type: "string", description: "Which of several: the name of a policy or limit." },
          decision: DECISION,
          why: { type: "string" },
          rule: {
            type: "string",
            description:
              "What decides, as the configuration has it: an expression in CEL, scopes, or which server is asked.",
          },
        },
        required: ["step", "decision", "why"],
        additionalProperties: false,
      },
    },
  },
  required: ["tool", "decision", "claims", "steps"],
  additionalProperties: false,
} as const;

export type CallExplanation = Shape<typeof CALL_EXPLANATION>;
