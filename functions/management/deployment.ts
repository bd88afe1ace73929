import type { Context } from "hono";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { probed, proposal, published, redirectedTo } from "../../lib/audit/deployment-events.ts";
import { byAdministrator } from "../../lib/audit/event.ts";
import { type Completed, completing } from "../../lib/audit/record.ts";
import { changesOf, describeDeployment, listPublications, publishBundle } from "../../lib/deployment/administration.ts";
import { showDocument } from "../../lib/deployment/document.ts";
import { type Draft, dropDraft, readDraft, saveDraft } from "../../lib/deployment/drafts.ts";
import { documentAnswer, fetchDocument } from "../../lib/deployment/fetch-document.ts";
import { LONGEST_PROBE } from "../../lib/deployment/probe-room.ts";
import {
  beginProbe,
  PROBE_LIMIT,
  ProbeFailure,
  probeProblem,
  readDocumentAddress,
  readServerAddress,
} from "../../lib/deployment/probing.ts";
import { approveProposal, readProposal, withdrawProposal } from "../../lib/deployment/proposals.ts";
import { type Outcome, publishArtifact, rollBack } from "../../lib/deployment/service-publishing.ts";
import type { ServicePublisher } from "../../lib/deployment/service-signing.ts";
import { requireProof } from "../../lib/directory/sign-in-methods.ts";
import { isJsonObject } from "../../lib/kernel/json.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import type { DEPLOYMENT_OPERATIONS } from "../../lib/management/operations/deployment.ts";
import {
  representDeployment,
  representDraft,
  representProposal,
  representPublication,
} from "../../lib/management/representations/deployment.ts";
import type {
  ConfigurationChangeList,
  ConfigurationDocument,
  Deployment,
  Draft as DraftAnswer,
  ProbedServer,
  Proposal,
  Publication,
  PublicationList,
} from "../../lib/management/schemas/deployment.ts";
import { probeServer } from "../../lib/upstream/probe.ts";
import type { Env } from "../env.ts";
import { administrator, type Caller } from "../middleware/caller.ts";
import { entityTag, expectedRevision } from "../middleware/change-target.ts";
import { answerJson, answerNothing, readJsonBody } from "../middleware/json-body.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { booleanQuery, invalidQuery, refuseUnknownQuery, textQuery } from "../middleware/query.ts";

/** Bytes of a body with a bundle; a listener takes 4 MiB. */
const MAX_BYTES = 3_100_000;

/** `Need`: the first organization, as the configuration is that of the whole instance (D32). */
export const DEPLOYMENT_ENDPOINTS: Endpoints<typeof DEPLOYMENT_OPERATIONS> = {
  /** GET: what this instance uses. */
  showDeployment: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    return answerJson<Deployment>(c, representDeployment(await describeDeployment(dependencies)));
  },

  /** GET: what was published, latest first. */
  listPublications: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const items = (await listPublications(dependencies)).map(representPublication);
    return answerJson<PublicationList>(c, { items });
  },

  /** POST `{bundle}` or `{artifact, revision}`: 201 once it is kept, and taken over here; 202 where another person approves it. */
  publishConfiguration: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const input = await readJsonBody(c, MAX_BYTES);
    const publisher = publisherOf(dependencies, c, caller);
    const isArtifact = isJsonObject(input) && input.artifact !== undefined;
    if (isArtifact) return answerOutcome(c, await publishArtifact(dependencies, publisher, input));
    const record = await publishBundle(dependencies, caller.id, input, publisher.events.published);
    return answerJson<Publication>(c, representPublication(record), 201);
  },

  /** POST `{to, revision, reason}`: 201 once the former contents are kept again, and taken over here; or 202 as above. */
  rollBackConfiguration: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const input = await readJsonBody(c);
    return answerOutcome(c, await rollBack(dependencies, publisherOf(dependencies, c, caller), input));
  },

  /** GET: what waits for a second person; what it says is for those alone who may publish. */
  showProposal: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const found = await readProposal(dependencies, caller.kind === "client" || caller.role === "owner");
    c.header("ETag", entityTag(found.version));
    return answerJson<Proposal>(c, representProposal(found));
  },

  /** POST `{digest}`: 201 once it is kept, and taken over here. */
  approveProposal: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const approver = publisherOf(dependencies, c, caller);
    const { expectedRevision: expected } = expectedRevision(c);
    const record = await approveProposal(dependencies, approver, await readJsonBody(c), expected);
    return answerJson<Publication>(c, representPublication(record), 201);
  },

  /** DELETE: 204 once nothing is proposed. */
  withdrawProposal: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const who = publisherOf(dependencies, c, caller);
    await withdrawProposal(dependencies, who, expectedRevision(c).expectedRevision);
    return answerNothing(c);
  },

  /** GET `?tools=`: what a draft begins with, and is compared with. */
  showConfigurationDocument: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["tools"]);
    const isWhole = booleanQuery(c, "tools");
    await mustBeFirst(dependencies, caller);
    const { tools, ...document } = await showDocument(dependencies, isWhole);
    return answerJson<ConfigurationDocument>(c, { ...document, ...tools });
  },

  /** GET: the draft of the deployment. */
  showDraft: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    return answerDraft(c, await readDraft(dependencies));
  },

  /** PUT `{text, basedOn?}`: in the place of the one that `If-Match` names, or of none. */
  saveDraft: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const input = await readJsonBody(c, MAX_BYTES);
    const savedBy = nameOf(caller);
    return answerDraft(c, await saveDraft(dependencies, savedBy, input, expectedRevision(c).expectedRevision));
  },

  /** DELETE: 204 once there is none. */
  dropDraft: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    await dropDraft(dependencies, expectedRevision(c).expectedRevision);
    return answerNothing(c);
  },

  /** GET `?from=`: what differs, by key. */
  compareRevisions: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["from"]);
    await mustBeFirst(dependencies, caller);
    const revision = Number(/^\d{1,15}$/.exec(c.req.param("revision") ?? "")?.[0] ?? 0);
    const changes = await changesOf(dependencies, revision, fromQuery(c));
    return answerJson<ConfigurationChangeList>(c, { items: [...changes.items], hazards: [...changes.hazards] });
  },

  /** POST `{url}`: the document at an address, unread. */
  fetchDocument: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const url = readDocumentAddress(await readJsonBody(c));
    const forward = dependencies.forward();
    let details: Completed["details"];
    const onRedirect = (to: URL): void => {
      details = redirectedTo(to);
    };
    const asked = { url, kind: "document", details: () => details } as const;
    return asking(dependencies, c, caller, asked, async (signal, end) => {
      const document = await fetchDocument(url, { forward, carried: c.req.raw, signal, onRedirect });
      c.header("Cache-Control", "no-store");
      const body = documentAnswer(document, end, AbortSignal.timeout(LONGEST_PROBE));
      return { answer: c.body(body, 200, { "Content-Type": "application/json" }), outcome: "success" };
    });
  },

  /** POST `{url, transport?, headers?}`: what an MCP server says of itself. */
  probeMcpServer: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await mustBeFirst(dependencies, caller);
    const server = readServerAddress(await readJsonBody(c));
    const asked = { url: server.url, kind: "mcp" } as const;
    return asking(dependencies, c, caller, asked, async (signal, end) => {
      const said = await probeServer(server, c.get("request"), dependencies, signal);
      end();
      const isUnauthorized = said.outcome === "unauthorized";
      return {
        answer: answerJson<ProbedServer>(c, said),
        ...(isUnauthorized ? { outcome: "upstream_error", reason: said.outcome } : { outcome: "success" }),
      };
    });
  },
};

interface Asked {
  readonly url: URL;
  readonly kind: "document" | "mcp";
  /** What became known of the address meanwhile. */
  readonly details?: () => Completed["details"];
}

type Probed = Completed & { readonly answer: Response };

/**
 * Asks an address, and records who had the instance connect to it before it does.
 *
 * @param act gets what ends it when nobody waits for it any more, and what frees its place, as soon as nothing of it is held
 */
async function asking(
  dependencies: Dependencies,
  c: Context<Env>,
  caller: Caller,
  { url, kind, details }: Asked,
  act: (signal: AbortSignal, end: () => void) => Promise<Probed>,
): Promise<Response> {
  const request = c.get("request");
  const end = beginProbe(dependencies);
  try {
    const by = { organizationId: caller.organizationId, ...byAdministrator(administrator(caller, c)) };
    const event = probed(dependencies, url, kind, by);
    await dependencies.stores.auditLog.begin(event);
    const signal = AbortSignal.any([AbortSignal.timeout(PROBE_LIMIT), c.req.raw.signal]);
    const made = await completing(event, request, dependencies, async () => {
      const ended = await act(signal, end).catch((cause: unknown): Completed & { readonly failure: ProbeFailure } => {
        if (!(cause instanceof ProbeFailure)) throw cause;
        const { reason } = cause;
        return { outcome: reason === "cancelled" ? reason : "upstream_error", reason, failure: cause };
      });
      const more = details?.();
      return more === undefined ? ended : { ...ended, details: more };
    });
    if ("answer" in made) return made.answer;
    throw probeProblem(made.failure);
  } catch (cause) {
    end();
    throw cause;
  }
}

function answerDraft(c: Context<Env>, draft: Draft): Response {
  c.header("ETag", entityTag(draft.version));
  return answerJson<DraftAnswer>(c, representDraft(draft));
}

function answerOutcome(c: Context<Env>, outcome: Outcome): Response {
  if ("published" in outcome) return answerJson<Publication>(c, representPublication(outcome.published), 201);
  c.header("ETag", entityTag(outcome.proposed.version));
  return answerJson<Proposal>(c, representProposal(outcome.proposed), 202);
}

function publisherOf(dependencies: Dependencies, c: Context<Env>, caller: Caller): ServicePublisher {
  const { id, organizationId } = caller;
  const by = { organizationId, ...byAdministrator(administrator(caller, c)) };
  return {
    id,
    name: nameOf(caller),
    prove: async () => {
      if (caller.kind === "person") await requireProof(dependencies, caller, PROVEN);
    },
    events: {
      published: (about, proposedBy) => published(dependencies, about, by, proposedBy),
      proposed: (about) => proposal(dependencies, "config.proposed", about, by),
      proposalWithdrawn: (about) => proposal(dependencies, "config.proposalWithdrawn", about, by),
    },
  };
}

const PROVEN = { may: "configurations can be published", mayNot: "you publish no configuration" };

/** For people: an address says more than an id. */
function nameOf({ kind, id, name = id }: Caller): string {
  return kind === "person" ? name : id;
}

async function mustBeFirst({ stores }: Pick<Dependencies, "stores">, { organizationId }: Caller): Promise<void> {
  const first = await stores.directory.firstOrganization();
  if (first?.organizationId === organizationId) return;
  throw new ProblemError("forbidden", "The instance's configuration is for its first organization.");
}

function fromQuery(c: Context<Env>): number | undefined {
  const text = textQuery(c, "from");
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw invalidQuery("from", "must be a revision");
  return Number(text);
}
