import { listOf, type Shape, TIME } from "./common.ts";
import { TOOL } from "./tools.ts";

const REVISION = { type: "integer", minimum: 1 } as const;
const DIGEST = {
  type: "string",
  description: "SHA-256 of the compiled configuration, in hexadecimal digits.",
} as const;

export const PUBLICATION = {
  title: "Publication",
  type: "object",
  properties: {
    revision: REVISION,
    digest: DIGEST,
    publishedAt: TIME,
    publishedBy: { type: "string", description: "As the bundle says." },
    by: { type: "string", description: "Who handed it over: `user_…`, `client_…`, the operator, or `source`." },
    reason: { type: "string" },
    rollbackOf: { ...REVISION, description: "The earlier revision whose contents these are." },
    expiresAt: { ...TIME, description: "No instance takes it over after that." },
    approvedBy: { type: "string", description: "Who approved what `publishedBy` proposed. Absent: nobody had to." },
    isKept: { type: "boolean", description: "Whether its bundle is kept, so that it can be compared." },
  },
  required: ["revision", "digest", "publishedAt", "publishedBy", "by", "isKept"],
  additionalProperties: false,
} as const;

export const PUBLICATION_LIST = listOf("PublicationList", PUBLICATION);

export const DEPLOYMENT = {
  title: "Deployment",
  type: "object",
  properties: {
    deployment: { type: "string" },
    source: { type: "string", description: "Where instances look: a URL without credentials, or `store:`." },
    highest: { type: "integer", minimum: 0, description: "The highest revision that was in use; 0: none." },
    signing: {
      enum: ["operator", "service"],
      description: "Who signs what is published: `service` where a compiled configuration may be sent.",
    },
    approvals: {
      enum: [1, 2],
      description: "How many people it takes to publish what the service signs. With 2, it is proposed first.",
    },
    proposal: {
      type: "integer",
      minimum: 1,
      description: "Version of the proposal that waits for approval. Absent: none does.",
    },
    instances: {
      type: "array",
      description: "What instances have said of themselves, seen last first; at most 200.",
      items: {
        title: "DeploymentInstance",
        type: "object",
        properties: {
          id: { type: "string", description: "Made anew by each instance that starts." },
          runtime: { enum: ["node", "workers", "lambda"] },
          revision: { ...REVISION, description: "Absent: nothing that was published is in use." },
          since: { ...TIME, description: "Since when it uses that." },
          seenAt: TIME,
          problem: { type: "string", description: "Why it does not use a newer one." },
        },
        required: ["id", "runtime", "since", "seenAt"],
        additionalProperties: false,
      },
    },
    active: {
      type: "object",
      properties: { revision: REVISION, digest: DIGEST, since: TIME },
      required: ["revision", "digest", "since"],
      additionalProperties: false,
      description: "What this instance uses. Absent: nothing that was published.",
    },
    refused: {
      type: "object",
      properties: { revision: REVISION, at: TIME, reason: { type: "string" } },
      required: ["at", "reason"],
      additionalProperties: false,
      description: "What this instance did not take over, until another one is in use.",
    },
  },
  required: ["deployment", "source", "highest", "signing", "approvals", "instances"],
  additionalProperties: false,
} as const;

const RESTART = {
  type: "boolean",
  default: false,
  description: "Also what running instances cannot take over: those that start afterwards use it.",
} as const;
const FORCE = {
  type: "array",
  items: { type: "string" },
  maxItems: 1_000,
  default: [],
  description:
    "Words for what the publication takes away, as the answer to one without them names them: `no-console`, `no-connectors`, `no-oauth`, `no-overrides`, `open:APP`, `no-policies:APP`.",
} as const;
const REASON = { type: "string", minLength: 1, maxLength: 500 } as const;
const NEXT = { ...REVISION, description: "The number that it gets: one more than the latest." } as const;

export const NEW_PUBLICATION = {
  title: "NewPublication",
  oneOf: [
    {
      type: "object",
      properties: {
        bundle: {
          type: "string",
          maxLength: 3_000_000,
          description: "The signed bundle, as `countersign publish` makes it: base64 of its bytes, plain or gzip.",
        },
        ...{ restart: RESTART, force: FORCE },
      },
      required: ["bundle"],
      additionalProperties: false,
    },
    {
      type: "object",
      properties: {
        artifact: { type: "string", description: "JSON of the compiled configuration, which the service signs." },
        ...{ revision: NEXT, reason: REASON, restart: RESTART, force: FORCE },
      },
      required: ["artifact", "revision"],
      additionalProperties: false,
    },
  ],
} as const;

export const ROLLBACK = {
  title: "Rollback",
  type: "object",
  properties: {
    to: { ...REVISION, description: "The earlier revision whose contents are published again." },
    ...{ revision: NEXT, reason: REASON, restart: RESTART, force: FORCE },
  },
  required: ["to", "revision", "reason"],
  additionalProperties: false,
} as const;

const BASED_ON = { ...REVISION, description: "The revision that it began with." } as const;

export const DRAFT = {
  title: "Draft",
  type: "object",
  properties: {
    text: { type: "string" },
    basedOn: BASED_ON,
    savedAt: TIME,
    savedBy: { type: "string", description: "A person's address, or an API client." },
    version: { type: "integer", minimum: 1, description: "The number in its `ETag`." },
  },
  required: ["text", "savedAt", "savedBy", "version"],
  additionalProperties: false,
} as const;

export const DRAFT_CHANGE = {
  title: "DraftChange",
  type: "object",
  properties: {
    text: { type: "string", minLength: 1, description: "At most 1,000,000 bytes as UTF-8." },
    basedOn: BASED_ON,
  },
  required: ["text"],
  additionalProperties: false,
} as const;

export const CONFIGURATION_DOCUMENT = {
  title: "ConfigurationDocument",
  type: "object",
  properties: {
    revision: { ...REVISION, description: "Absent: it was not published." },
    document: { type: "object", description: "Secrets and variables by their references." },
    hidden: {
      type: "array",
      items: { type: "string" },
      description: "Paths of secrets that stand in the document itself, shown as `(a secret)`.",
    },
    catalogs: {
      type: "object",
      description:
        "With `tools`: the compiled tools of each app. Absent also where these are more than 4,000,000 bytes.",
    },
    policies: { type: "object", description: "Likewise the compiled policies in Rego; absent: there are none." },
  },
  required: ["document", "hidden"],
  additionalProperties: false,
} as const;

const CONFIGURATION_CHANGE = {
  title: "ConfigurationChange",
  type: "object",
  properties: {
    path: { type: "string", description: "`apps[ledger].upstream.url`: entries of lists go by their names." },
    from: { type: "string", description: "JSON, secrets by their references. Absent: it was not there." },
    to: { type: "string", description: "Likewise. Absent: it is not there any more." },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

const HAZARDS = {
  type: "array",
  items: {
    type: "object",
    properties: {
      word: { type: "string" },
      what: { type: "string", description: 'Goes on "It …".' },
    },
    required: ["word", "what"],
    additionalProperties: false,
  },
} as const;

export const CONFIGURATION_CHANGE_LIST = {
  title: "ConfigurationChangeList",
  type: "object",
  properties: {
    items: { type: "array", items: CONFIGURATION_CHANGE },
    hazards: { ...HAZARDS, description: "What the later one takes away." },
  },
  required: ["items", "hazards"],
  additionalProperties: false,
} as const;

const OWNERS = "Absent: the caller may not publish.";

export const PROPOSAL = {
  title: "Proposal",
  type: "object",
  properties: {
    version: { type: "integer", minimum: 1, description: "The number in its `ETag`." },
    revision: { ...REVISION, description: "The number that it gets." },
    digest: DIGEST,
    proposedAt: TIME,
    expiresAt: { ...TIME, description: "Nobody approves it from then on." },
    proposedBy: { type: "string", description: "A person's address, or an API client." },
    by: { type: "string", description: "Who has proposed it: `user_…` or `client_…`. Somebody else approves it." },
    reason: { type: "string" },
    rollbackOf: { ...REVISION, description: "The earlier revision whose contents these are." },
    restart: { type: "boolean", description: "Whether keys that take a restart may change." },
    void: { type: "string", description: "Why nobody can approve it any more. Absent: somebody can." },
    document: { type: "object", description: `Secrets and variables by their references. ${OWNERS}` },
    hidden: {
      type: "array",
      items: { type: "string" },
      description: "Paths of secrets that stand in the document itself, shown as `(a secret)`.",
    },
    changes: {
      type: "array",
      items: CONFIGURATION_CHANGE,
      description: `Against the latest publication, or else what is in use. ${OWNERS}`,
    },
    hazards: {
      ...HAZARDS,
      description: `What it takes away from what this instance has in use. ${OWNERS}`,
    },
    force: { type: "array", items: { type: "string" }, description: `Words of its proposer for that. ${OWNERS}` },
  },
  required: ["version", "revision", "digest", "proposedAt", "expiresAt", "proposedBy", "by", "restart"],
  additionalProperties: false,
} as const;

export const PROPOSAL_APPROVAL = {
  title: "ProposalApproval",
  type: "object",
  properties: { digest: { ...DIGEST, description: "Of the proposal that was looked at." } },
  required: ["digest"],
  additionalProperties: false,
} as const;

const ADDRESS = {
  type: "string",
  minLength: 1,
  maxLength: 8_000,
  description: "`https://` or `http://`, without a user name and a password.",
} as const;

export const DOCUMENT_ADDRESS = {
  title: "DocumentAddress",
  type: "object",
  properties: { url: ADDRESS },
  required: ["url"],
  additionalProperties: false,
} as const;

export const FETCHED_DOCUMENT = {
  title: "FetchedDocument",
  type: "object",
  properties: {
    uri: { type: "string", description: "Where it was after redirects: references in it begin there." },
    text: { type: "string", description: "As it came; nothing was looked at but that it is UTF-8." },
  },
  required: ["uri", "text"],
  additionalProperties: false,
} as const;

export const SERVER_ADDRESS = {
  title: "McpServerAddress",
  type: "object",
  properties: {
    url: ADDRESS,
    transport: { enum: ["stream", "sse"], default: "stream" },
    headers: {
      type: "object",
      additionalProperties: { type: "string", maxLength: 8_000 },
      maxProperties: 32,
      description: "Sent with each request. Values are secrets: nothing keeps or logs them.",
    },
  },
  required: ["url"],
  additionalProperties: false,
} as const;

export const PROBED_SERVER = {
  title: "ProbedMcpServer",
  oneOf: [
    {
      type: "object",
      properties: {
        outcome: { const: "answered" },
        name: { type: "string" },
        version: { type: "string" },
        title: { type: "string" },
        protocolVersion: { type: "string", description: "The revision of MCP that was agreed on." },
        tools: {
          type: "array",
          items: {
            type: "object",
            properties: {
              name: { type: "string" },
              title: { type: "string" },
              description: { type: "string" },
              annotations: TOOL.properties.annotations,
            },
            required: ["name"],
            additionalProperties: false,
          },
        },
        prompts: { type: "integer", minimum: 0, description: "How many." },
        resources: { type: "integer", minimum: 0, description: "How many." },
      },
      required: ["outcome", "name", "version", "protocolVersion", "tools", "prompts", "resources"],
      additionalProperties: false,
    },
    {
      type: "object",
      properties: { outcome: { const: "unauthorized", description: "It wants a credential: 401 or 403." } },
      required: ["outcome"],
      additionalProperties: false,
    },
  ],
} as const;

export type Deployment = Shape<typeof DEPLOYMENT>;
export type Publication = Shape<typeof PUBLICATION>;
export type PublicationList = Shape<typeof PUBLICATION_LIST>;
export type ConfigurationChangeList = Shape<typeof CONFIGURATION_CHANGE_LIST>;
export type Proposal = Shape<typeof PROPOSAL>;
export type Draft = Shape<typeof DRAFT>;
export type ConfigurationDocument = Shape<typeof CONFIGURATION_DOCUMENT>;
export type FetchedDocument = Shape<typeof FETCHED_DOCUMENT>;
export type ProbedServer = Shape<typeof PROBED_SERVER>;
