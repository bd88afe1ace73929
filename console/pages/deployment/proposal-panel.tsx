import { Button } from "@mantine/core";
import { useState } from "react";
import type { Deployment, Proposal, Publication } from "../../../lib/management/schemas/deployment.ts";
import { EVERYTHING } from "../../api/keys.ts";
import { useRead } from "../../api/use-read.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyableId } from "../../parts/copyable-id.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Time } from "../../parts/time.tsx";
import { useSession } from "../../session/context.ts";
import { Changes } from "../configuration-editor/changes.tsx";
import classes from "./deployment.module.css";
import { HazardsNote } from "./hazards-note.tsx";

const PATH = "/deployment/proposal";

/** What waits for a second owner: who has proposed it and why, what it changes, and the answer to it. */
export function ProposalPanel({ deployment }: { readonly deployment: Deployment }) {
  if (deployment.proposal === undefined) return null;
  return <Waiting key={deployment.proposal} version={deployment.proposal} />;
}

function Waiting({ version }: { readonly version: number }) {
  const { isOwner } = useSession();
  const read = useRead<Proposal>(PATH);
  const proposal = read.data?.body;
  // Somebody has answered it meanwhile.
  if (read.error?.status === 404) return null;
  return (
    <Panel
      title="Proposed"
      description="Nothing uses it before another owner has approved it."
      footer={isOwner && (proposal ? <Answer proposal={proposal} /> : read.error && <Unread version={version} />)}
    >
      <DataState
        data={proposal}
        error={read.error}
        refetch={() => void read.refetch()}
        problemTitle="The proposal could not be read"
      >
        {(shown) => <Shown proposal={shown} />}
      </DataState>
    </Panel>
  );
}

function Shown({ proposal }: { readonly proposal: Proposal }) {
  const { revision, proposedBy, proposedAt, expiresAt, reason, rollbackOf, digest, restart, changes, hazards } =
    proposal;
  return (
    <div className={classes.parts}>
      {proposal.void !== undefined && (
        <Note tone="warn" title="Nobody can approve it any more">
          <ForeignText text={proposal.void} />
        </Note>
      )}
      <Facts
        facts={[
          { term: "Becomes revision", value: revision },
          { term: "Proposed by", value: <ForeignText text={proposedBy} /> },
          { term: "Proposed", value: <Time value={proposedAt} format="full" /> },
          { term: "Ends", value: <Time value={expiresAt} format="full" /> },
          { term: "Why", value: reason === undefined ? "No reason given" : <ForeignText text={reason} /> },
          { term: "Back to revision", value: rollbackOf },
          { term: "Restart", value: restart ? "Also what takes a restart may change" : undefined },
          { term: "Digest", value: <CopyableId id={digest} label="Copy digest of the proposal" /> },
        ]}
      />
      {hazards && <HazardsNote hazards={hazards} />}
      {changes && <Changes changes={changes} />}
    </div>
  );
}

/** Else what cannot be shown would keep everybody from proposing something else. */
function Unread({ version }: { readonly version: number }) {
  return (
    <div className={classes.answer}>
      <p>Nobody can approve what is not shown. Withdraw it if it stays so.</p>
      <div className={classes.buttons}>
        <Withdraw version={version} />
      </div>
    </div>
  );
}

/** It sends what was shown, so that nobody approves what they have not seen. */
function Answer({ proposal: { digest, version, by, revision, void: why } }: { readonly proposal: Proposal }) {
  const { me } = useSession();
  const announce = useAnnounce();
  const ifMatch = `"${version}"`;
  const approving = useSend<Publication>(
    () => ({ method: "POST", path: `${PATH}/approve`, body: { digest }, ifMatch }),
    {
      refreshes: EVERYTHING,
      onDone: () => announce(`Revision ${revision} is published`),
    },
  );
  const isOwn = by === me.userId;
  return (
    <div className={classes.answer}>
      <p>
        {isOwn
          ? "You have proposed it: another owner has to approve it."
          : "To approve it you have signed in within ten minutes, with your passkey if you have one. It is published at once."}
      </p>
      <ProblemNote error={approving.error} title="It was not published" />
      <div className={classes.buttons}>
        <Withdraw version={version} isDisabled={approving.isPending} />
        {!isOwn && why === undefined && (
          <Button loading={approving.isPending} onClick={() => approving.mutate()}>
            Approve
          </Button>
        )}
      </div>
    </div>
  );
}

function Withdraw({ version, isDisabled = false }: { readonly version: number; readonly isDisabled?: boolean }) {
  const announce = useAnnounce();
  const [isAsking, setAsking] = useState(false);
  const withdrawing = useSend(() => ({ method: "DELETE", path: PATH, ifMatch: `"${version}"` }), {
    refreshes: ["/deployment"],
    onDone: () => announce("The proposal is withdrawn"),
  });
  return (
    <>
      <Button variant="default" disabled={isDisabled} onClick={() => setAsking(true)}>
        Withdraw
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title="Withdraw the proposal?"
        confirmLabel="Withdraw proposal"
        isPending={withdrawing.isPending}
        error={withdrawing.error}
        problemTitle="The proposal was not withdrawn"
        onConfirm={() => withdrawing.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>It is gone for all owners, and something else can be proposed. The draft stays.</p>
      </ConfirmDialog>
    </>
  );
}
