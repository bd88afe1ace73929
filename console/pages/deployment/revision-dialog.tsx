import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import type { ConfigurationChangeList, Deployment, Publication } from "../../../lib/management/schemas/deployment.ts";
import { path } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import type { Subject } from "../../parts/use-subject.ts";
import { useSession } from "../../session/context.ts";
import { Changes as ChangedKeys } from "../configuration-editor/changes.tsx";
import classes from "./deployment.module.css";
import { HazardsNote } from "./hazards-note.tsx";
import { RollBackForm } from "./roll-back-form.tsx";

interface RevisionDialogProps {
  readonly looking: Subject<Publication>;
  readonly deployment: Deployment | undefined;
  /** Latest first. */
  readonly publications: readonly Publication[];
}

/** What one publication changed, and how to go back to it. */
export function RevisionDialog({ looking, deployment, publications }: RevisionDialogProps) {
  const { isOwner } = useSession();
  const { value } = looking;
  return (
    <Dialog
      opened={looking.isOpen}
      onClose={looking.close}
      title={`Revision ${value?.revision ?? ""}`}
      size="xl"
      closeButtonProps={CLOSE}
    >
      {value && (
        <div className={classes.parts}>
          <Differences key={value.revision} publication={value} publications={publications} />
          {isOwner && value.isKept && value.revision !== deployment?.active?.revision && (
            <GoingBack
              revision={value.revision}
              deployment={deployment}
              next={Math.max(deployment?.highest ?? 0, publications[0]?.revision ?? 0) + 1}
              onClose={looking.close}
            />
          )}
        </div>
      )}
    </Dialog>
  );
}

const CLOSE = { "aria-label": "Close" } as const;

function Differences({
  publication,
  publications,
}: Pick<RevisionDialogProps, "publications"> & { readonly publication: Publication }) {
  const others = publications.filter(({ isKept, revision }) => isKept && revision !== publication.revision);
  const before = others.find(({ revision }) => revision < publication.revision);
  const [chosen, setChosen] = useState<number>();
  const from = chosen ?? before?.revision ?? others.at(-1)?.revision;
  if (!publication.isKept) return <p>This publication is not kept any more, so that nothing tells what it changed.</p>;
  if (from === undefined) return <p>No other publication is kept that it could be compared with.</p>;
  return (
    <>
      <NativeSelect
        label="Compared with"
        data={others.map(({ revision }) => ({ value: String(revision), label: `Revision ${revision}` }))}
        value={String(from)}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      />
      <Changes revision={publication.revision} from={from} />
    </>
  );
}

function Changes({ revision, from }: { readonly revision: number; readonly from: number }) {
  const changes = useRead<ConfigurationChangeList>(path`/deployment/revisions/${String(revision)}/changes`, {
    query: { from },
  });
  return (
    <DataState
      data={changes.data?.body}
      error={changes.error}
      refetch={() => void changes.refetch()}
      problemTitle="The changes could not be read"
    >
      {({ items, hazards }) => (
        <>
          {items.length === 0 ? <p>Both say the same.</p> : <ChangedKeys changes={items} />}
          <HazardsNote hazards={hazards} />
        </>
      )}
    </DataState>
  );
}

interface GoingBackProps {
  readonly revision: number;
  readonly deployment: Deployment | undefined;
  /** The number of the next publication. */
  readonly next: number;
  readonly onClose: () => void;
}

/** Where operators sign, their key is with them: only their command can. */
function GoingBack({ revision, deployment, next, onClose }: GoingBackProps) {
  if (deployment?.signing === "service")
    return <RollBackForm to={revision} revision={next} isProposal={deployment.approvals === 2} onClose={onClose} />;
  const name = deployment?.deployment ?? "";
  const command = `countersign publish -rollbackTo ${revision} -deployment ${name} -key FILE -to store: -reason TEXT`;
  return (
    <div>
      <p>
        To go back to this revision, publish its contents under the next number. On the machine of an embedded store,
        this command does it; elsewhere, publish the file that it was made of again.
      </p>
      <CodeBlock code={command} label="Command" isWrapped />
    </div>
  );
}
