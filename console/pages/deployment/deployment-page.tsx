import { Button } from "@mantine/core";
import { Link } from "wouter";
import type { Deployment, Publication, PublicationList } from "../../../lib/management/schemas/deployment.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { useRead } from "../../api/use-read.ts";
import { EditIcon, PublishIcon } from "../../icons.tsx";
import { CopyableId } from "../../parts/copyable-id.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Note } from "../../parts/note.tsx";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { useSubject } from "../../parts/use-subject.ts";
import classes from "./deployment.module.css";
import { InstancesPanel } from "./instances-panel.tsx";
import { ProposalPanel } from "./proposal-panel.tsx";
import { RevisionDialog } from "./revision-dialog.tsx";

/** Which published configuration is in use, and what was published: who, when, why, and what it changed. */
export function DeploymentPage() {
  const looking = useSubject<Publication>();
  const deployment = useRead<Deployment>("/deployment", { refetchInterval: 10_000 });
  const publications = useRead<PublicationList>("/deployment/revisions", { refetchInterval: 10_000 });
  const items = publications.data?.body.items;
  if (isNotFollowed(deployment.error)) return <NothingFollowed />;
  return (
    <PageFrame
      title={TITLE}
      term="revision"
      description={ABOUT}
      actions={
        <OwnersOnly>
          <LinkButton href="/gateway/configuration/edit" leftSection={<EditIcon size={14} />}>
            Edit
          </LinkButton>
        </OwnersOnly>
      }
    >
      <DataState
        data={deployment.data?.body}
        error={deployment.error}
        refetch={() => void deployment.refetch()}
        problemTitle="The deployment could not be read"
      >
        {(read) => (
          <>
            <ProposalPanel deployment={read} />
            <InUse deployment={read} />
            <InstancesPanel instances={read.instances} latest={items?.[0]?.revision ?? (read.highest || undefined)} />
          </>
        )}
      </DataState>
      <Panel flush title="Publications" description="Newest first.">
        <DataState
          data={items}
          error={publications.error}
          refetch={() => void publications.refetch()}
          problemTitle="The publications could not be read"
          empty={
            <EmptyState icon={<PublishIcon size={20} />} title="Nothing is published yet">
              Instances use the configuration that they were started with until somebody publishes another one.
            </EmptyState>
          }
        >
          {(all) => (
            <DataTable
              label="Publications"
              columns={[...columnsOf(deployment.data?.body), actionsColumn(looking.open)]}
              rows={all}
              keyOf={({ revision }) => String(revision)}
            />
          )}
        </DataState>
      </Panel>
      <RevisionDialog looking={looking} deployment={deployment.data?.body} publications={items ?? []} />
    </PageFrame>
  );
}

const TITLE = "Configuration";
const ABOUT = "What was published for running instances, and which of it is in use.";

function isNotFollowed(error: ApiProblem | null): boolean {
  return error?.code === "not_found";
}

function NothingFollowed() {
  return (
    <PageFrame title={TITLE} description={ABOUT}>
      <Panel>
        <EmptyState icon={<PublishIcon size={20} />} title="This instance follows no published configuration">
          It uses the configuration that it was started with. To change it in the Console, without a restart, start it
          with SVC_CONFIG_SOURCE=store:, SVC_CONFIG_SIGNING=service and SVC_CONFIG_DEPLOYMENT, a name of your choice, in
          its environment.
        </EmptyState>
      </Panel>
    </PageFrame>
  );
}

function InUse({ deployment: { deployment, source, active, refused, highest } }: { readonly deployment: Deployment }) {
  return (
    <Panel
      title="In use"
      description="At the instance that answers this page."
      actions={<Link href="/gateway">Its tools</Link>}
    >
      <div className={classes.parts}>
        {refused && (
          <Note
            tone="warn"
            title={refused.revision === undefined ? "Refused" : `Revision ${refused.revision} is refused`}
          >
            <ForeignText text={refused.reason} />
          </Note>
        )}
        <Facts
          facts={[
            { term: "Revision", about: "revision", value: active?.revision ?? "None: the configuration of the start" },
            { term: "Since", value: active && <Time value={active.since} format="full" /> },
            { term: "Digest", value: active && <CopyableId id={active.digest} label="Copy digest" /> },
            { term: "Highest ever", value: highest },
            { term: "Deployment", value: deployment },
            { term: "Source", value: <ForeignText text={source} /> },
          ]}
        />
      </div>
    </Panel>
  );
}

function columnsOf(deployment: Deployment | undefined): readonly Column<Publication>[] {
  return [
    { id: "revision", header: "Revision", isName: true, width: "6rem", cell: ({ revision }) => revision },
    { id: "at", header: "Published", width: "8rem", cell: ({ publishedAt }) => <Time value={publishedAt} /> },
    { id: "by", header: "By", cell: (one) => <People publication={one} /> },
    { id: "why", header: "Why", cell: (one) => <Reason publication={one} /> },
    { id: "state", header: "State", width: "8rem", cell: (one) => stateOf(one, deployment) },
  ];
}

function People({ publication: { publishedBy, approvedBy } }: { readonly publication: Publication }) {
  if (approvedBy === undefined) return <ForeignText text={publishedBy} />;
  return (
    <>
      <ForeignText text={publishedBy} />, approved by <ForeignText text={approvedBy} />
    </>
  );
}

function Reason({ publication: { reason, rollbackOf } }: { readonly publication: Publication }) {
  const said = reason !== undefined && <ForeignText text={reason} />;
  if (rollbackOf === undefined) return said || "No reason given";
  return (
    <>
      Back to revision {rollbackOf}
      {said && ": "}
      {said}
    </>
  );
}

function stateOf({ revision }: Publication, deployment: Deployment | undefined) {
  if (revision === deployment?.active?.revision) return <StatusBadge tone="good">In use</StatusBadge>;
  if (revision === deployment?.refused?.revision) return <StatusBadge tone="bad">Refused</StatusBadge>;
  return revision > (deployment?.highest ?? 0) ? "Not in use yet" : "Earlier";
}

function actionsColumn(onLook: (publication: Publication) => void): Column<Publication> {
  return {
    id: "actions",
    header: "Actions",
    isHeaderHidden: true,
    align: "end",
    width: "7rem",
    cell: (one) => (
      <Button variant="default" size="xs" aria-label={`Look at revision ${one.revision}`} onClick={() => onLook(one)}>
        Look
      </Button>
    ),
  };
}
