import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ConfigurationDocument, Proposal, Publication } from "../../../lib/management/schemas/deployment.ts";
import { EVERYTHING } from "../../api/keys.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useSend } from "../../api/use-send.ts";
import type { Checker } from "../../configuration-check/checker.ts";
import type { Prepared } from "../../configuration-check/protocol.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { DialogForm, FormDialog } from "../../parts/form-dialog.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { HazardsNote } from "../deployment/hazards-note.tsx";
import { RestartCheckbox } from "../deployment/restart-checkbox.tsx";
import { Changes } from "./changes.tsx";
import { usePrepared } from "./use-prepared.ts";

interface PublicationRequest {
  /** JSON text: what is signed. */
  readonly artifact: string;
  readonly revision: number;
  readonly reason?: string | undefined;
  readonly restart?: boolean;
  readonly force?: readonly string[];
}

export interface PublishDialogProps {
  readonly opened: boolean;
  readonly checker: Checker;
  readonly inUse: ConfigurationDocument | undefined;
  /** Its number. */
  readonly revision: number;
  /** Another owner has to approve it: it is proposed. */
  readonly isProposal: boolean;
  readonly onClose: () => void;
  /** Or proposed. */
  readonly onPublished: () => void;
}

/** Asks before running instances take the text over: what changes, why, and the words for what it takes away. */
export function PublishDialog({ opened, onClose, ...rest }: PublishDialogProps) {
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={`${rest.isProposal ? "Propose" : "Publish"} revision ${rest.revision}?`}
    >
      <Publishing {...rest} onClose={onClose} />
    </FormDialog>
  );
}

function Publishing({ checker, inUse, ...rest }: Omit<PublishDialogProps, "opened">) {
  const { prepared, failed } = usePrepared(checker, inUse);
  if (failed !== undefined) return <ProblemNote error={failed} title="It could not be prepared" />;
  return prepared === undefined ? <SkeletonLines /> : <PublishForm prepared={prepared} {...rest} />;
}

type PublishFormProps = Omit<PublishDialogProps, "opened" | "checker" | "inUse"> & {
  readonly prepared: Prepared;
};

/** Milliseconds: compiled documents can be some megabytes. */
const TIMEOUT = 120_000;

function PublishForm({ prepared, revision, isProposal, onClose, onPublished }: PublishFormProps) {
  const { artifact, changes, hazards } = prepared;
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const [isMissing, setMissing] = useState(false);
  const [restart, setRestart] = useState(false);
  const words = hazards.map(({ word }) => word);
  const publishing = useSend<Publication | Proposal, PublicationRequest>(
    (body) => ({ method: "POST", path: "/deployment/revisions", body, timeout: TIMEOUT }),
    {
      refreshes: EVERYTHING,
      onDone: ({ body }) => {
        announce(`Revision ${body.revision} is ${isProposal ? "proposed" : "published"}`);
        onPublished();
        navigate("/gateway/configuration");
      },
    },
  );
  const isConfirmed = words.length === 0 || typed.trim() === words.join(",");
  return (
    <DialogForm
      onSubmit={(event) => {
        event?.preventDefault();
        setMissing(!isConfirmed);
        if (!isConfirmed) return;
        publishing.mutate({
          ...{ artifact: JSON.stringify(artifact), revision, restart, force: words },
          ...(reason.trim() !== "" && { reason: reason.trim() }),
        });
      }}
      submitLabel={isProposal ? "Propose" : "Publish"}
      isPending={publishing.isPending}
      problem={publishing.error === null ? undefined : withFields(publishing.error)}
      problemTitle={problemTitle(publishing.error, isProposal)}
      onCancel={onClose}
    >
      <Changes changes={changes} />
      <HazardsNote hazards={[...hazards]} />
      {isProposal && (
        <p>
          Another owner than you has to approve it within seven days, on the page Configuration. Nothing uses it before.
        </p>
      )}
      <TextInput
        label="Reason"
        description="For the list of publications and the audit log."
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
      {words.length > 0 && (
        <TextInput
          label={
            <>
              Type{" "}
              <strong>
                <ForeignText text={words.join(",")} />
              </strong>{" "}
              to confirm
            </>
          }
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={isMissing && !isConfirmed ? "These words say that you mean it." : undefined}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <RestartCheckbox isChecked={restart} onChange={setRestart} />
    </DialogForm>
  );
}

function problemTitle(error: ApiProblem | null, isProposal: boolean): string {
  if (isProposal) return "It was not proposed";
  return error?.status === 409 ? "Somebody else has published meanwhile" : "It was not published";
}

/** The answer names what is wrong field by field, the first also for the whole; no field of this form is about any of them. */
function withFields(problem: ApiProblem): ApiProblem {
  const details = [problem.detail, ...problem.fields.map((field) => field.detail)];
  return new ApiProblem({ ...problem, detail: [...new Set(details)].join(" ") }, problem);
}
