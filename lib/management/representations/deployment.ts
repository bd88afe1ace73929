import type { DescribedDeployment } from "../../deployment/administration.ts";
import type { Draft } from "../../deployment/drafts.ts";
import type { readProposal } from "../../deployment/proposals.ts";
import type { PublishedRevision } from "../../stores/deployments.ts";
import type { Deployment, Proposal, Publication, Draft as ShownDraft } from "../schemas/deployment.ts";

export function representDeployment({ active, refused, instances, ...more }: DescribedDeployment): Deployment {
  return {
    ...more,
    instances: instances.map(({ since, seenAt, expiresAt: _, ...instance }) => ({
      ...instance,
      ...{ since: iso(since), seenAt: iso(seenAt) },
    })),
    ...(active !== undefined && { active: { ...active, since: iso(active.since) } }),
    ...(refused !== undefined && { refused: { ...refused, at: iso(refused.at) } }),
  };
}

export function representPublication(published: PublishedRevision): Publication {
  const { bundle, bytes: _, publishedAt, expiresAt, ...more } = published;
  return {
    ...more,
    publishedAt: iso(publishedAt),
    ...(expiresAt !== undefined && { expiresAt: iso(expiresAt) }),
    isKept: bundle !== undefined,
  };
}

export function representDraft({ savedAt, ...more }: Draft): ShownDraft {
  return { ...more, savedAt: iso(savedAt) };
}

export function representProposal({
  proposedAt,
  expiresAt,
  contents,
  ...more
}: Awaited<ReturnType<typeof readProposal>>): Proposal {
  return {
    ...{ ...more, proposedAt: iso(proposedAt), expiresAt: iso(expiresAt) },
    ...(contents !== undefined && {
      document: contents.document,
      hidden: [...contents.hidden],
      changes: [...contents.changes],
      hazards: [...contents.hazards],
      force: [...contents.force],
    }),
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
