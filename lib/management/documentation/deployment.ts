import type { DEPLOYMENT_OPERATIONS } from "../operations/deployment.ts";
import {
  CONFIGURATION_CHANGE_LIST,
  CONFIGURATION_DOCUMENT,
  DEPLOYMENT,
  DOCUMENT_ADDRESS,
  DRAFT,
  DRAFT_CHANGE,
  FETCHED_DOCUMENT,
  NEW_PUBLICATION,
  PROBED_SERVER,
  PROPOSAL,
  PROPOSAL_APPROVAL,
  PUBLICATION,
  PUBLICATION_LIST,
  ROLLBACK,
  SERVER_ADDRESS,
} from "../schemas/deployment.ts";
import type { Documentation } from "./documentation.ts";
import { IF_MATCH, pathParameter } from "./documentation.ts";

const NOT_FOUND = "`not_found`: nothing is published for this instance (`SVC_CONFIG_SOURCE` is not set).";

const PROPOSED = {
  status: 202,
  description: "The proposal, which somebody else has to approve.",
  schema: PROPOSAL,
  headers: ["ETag"],
} as const;
const ASKED =
  "For whoever may publish a configuration that has the instance connect there: `conflict` where `signing` is not `service`. " +
  "`invalid_field` at `/url` says why nothing of use came within 30 s. `too_many_requests`: two addresses are being asked already. " +
  "The audit log has `deployment.probed`.";

/** Configurations that are published while instances run (D235). */
export const DEPLOYMENT_DOCUMENTATION = {
  showDeployment: {
    summary: "Which published configuration this instance uses",
    description: NOT_FOUND,
    answers: [{ status: 200, description: "What is in use, and what was refused.", schema: DEPLOYMENT }],
    problems: ["not_found"],
  },
  listPublications: {
    summary: "What was published",
    description: `Latest first. ${NOT_FOUND}`,
    answers: [{ status: 200, description: "Publications that the store knows of.", schema: PUBLICATION_LIST }],
    problems: ["not_found"],
  },
  publishConfiguration: {
    summary: "Publish a configuration",
    description:
      "Where the source is `store:`: a signed bundle, or, where `signing` is `service`, a compiled configuration, which the service signs; for that, people need a recent sign-in. " +
      "It is checked as instances check it before it is kept, and this instance takes it over at once. " +
      `Where \`approvals\` is 2, what the service would sign is proposed. \`conflict\`: the revision is not the next one, the source is elsewhere, operators sign, or something else is proposed. ${NOT_FOUND}`,
    body: { schema: NEW_PUBLICATION },
    answers: [{ status: 201, description: "The publication.", schema: PUBLICATION }, PROPOSED],
    problems: ["not_found", "conflict", "recent_sign_in_required"],
  },
  compareRevisions: {
    summary: "What differs between two publications",
    description: `From the one before, or \`from\`. \`not_found\`: one of them is not kept. ${NOT_FOUND}`,
    parameters: [
      pathParameter("revision"),
      { name: "from", in: "query", schema: { type: "integer", minimum: 1 }, description: "An earlier revision." },
    ],
    answers: [
      { status: 200, description: "By key, in the order of the documents.", schema: CONFIGURATION_CHANGE_LIST },
    ],
    problems: ["not_found"],
  },
  rollBackConfiguration: {
    summary: "Publish an earlier configuration again",
    description: `Where \`signing\` is \`service\`. People need a recent sign-in. Where \`approvals\` is 2, it is proposed. \`conflict\`: the revision is not the next one, operators sign, or something else is proposed. \`not_found\`: \`to\` is not kept. ${NOT_FOUND}`,
    body: { schema: ROLLBACK },
    answers: [{ status: 201, description: "The publication.", schema: PUBLICATION }, PROPOSED],
    problems: ["not_found", "conflict", "recent_sign_in_required"],
  },
  showProposal: {
    summary: "What waits for a second person",
    description: "A deployment has one proposal, for seven days. `not_found`: there is none.",
    answers: [{ status: 200, description: "The proposal.", schema: PROPOSAL, headers: ["ETag"] }],
    problems: ["not_found"],
  },
  approveProposal: {
    summary: "Approve and publish what somebody else has proposed",
    description:
      "It needs a recent sign-in. It is checked again, and published as it is. " +
      "`conflict`: something else has this digest, or nobody can approve it any more. `not_found`: nothing is proposed.",
    parameters: [IF_MATCH],
    body: { schema: PROPOSAL_APPROVAL },
    answers: [{ status: 201, description: "The publication.", schema: PUBLICATION }],
    problems: ["not_found", "conflict", "recent_sign_in_required"],
  },
  withdrawProposal: {
    summary: "Withdraw a proposal",
    parameters: [IF_MATCH],
    answers: [{ status: 204, description: "Nothing is proposed any more." }],
    problems: ["not_found"],
  },
  showConfigurationDocument: {
    summary: "The configuration to start a draft from",
    description: `Of the latest publication, or else what is in use. ${NOT_FOUND}`,
    parameters: [
      {
        ...{ name: "tools", in: "query", schema: { type: "boolean", default: false } },
        description: "With what was compiled of OpenAPI documents and policies in Rego.",
      },
    ],
    answers: [{ status: 200, description: "The document.", schema: CONFIGURATION_DOCUMENT }],
    problems: ["not_found"],
  },
  showDraft: {
    summary: "The draft of a configuration",
    description: "A deployment has one. `not_found`: there is none.",
    answers: [{ status: 200, description: "The draft.", schema: DRAFT, headers: ["ETag"] }],
    problems: ["not_found"],
  },
  saveDraft: {
    summary: "Save the draft",
    description: "`If-Match` names the one that is replaced. Without it there must be none: else `conflict`.",
    parameters: [IF_MATCH],
    body: { schema: DRAFT_CHANGE },
    answers: [{ status: 200, description: "The draft.", schema: DRAFT, headers: ["ETag"] }],
    problems: ["not_found", "conflict"],
  },
  dropDraft: {
    summary: "Drop the draft",
    parameters: [IF_MATCH],
    answers: [{ status: 204, description: "There is none any more." }],
    problems: ["not_found"],
  },
  fetchDocument: {
    summary: "Fetch an OpenAPI document",
    description: `${ASKED} At most 20 MB. ${NOT_FOUND}`,
    body: { schema: DOCUMENT_ADDRESS },
    answers: [{ status: 200, description: "The document, unread.", schema: FETCHED_DOCUMENT }],
    problems: ["not_found", "conflict", "too_many_requests"],
  },
  probeMcpServer: {
    summary: "Ask an MCP server what it has",
    description: `${ASKED} The instance connects as apps of \`type: mcpProxy\` do, ends the session and keeps nothing. ${NOT_FOUND}`,
    body: { schema: SERVER_ADDRESS },
    answers: [
      { status: 200, description: "What it says of itself, or that it wants a credential.", schema: PROBED_SERVER },
    ],
    problems: ["not_found", "conflict", "too_many_requests"],
  },
} as const satisfies Documentation<typeof DEPLOYMENT_OPERATIONS>;
