import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ConfigurationDocument, Publication } from "../../../lib/management/schemas/deployment.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useSend } from "../../api/use-send.ts";
import type { Checker } from "../../configuration-check/checker.ts";
import type { Prepared } from "../../configuration-check/protocol.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { DialogForm, FormDialog } from "../../parts/form-dialog.tsx";
import { Note } from "../../parts/note.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
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
  readonly onClose: () => void;
  readonly onPublished: (revision: number) => void;
}

/** Asks before running instances take the text over: what changes, why, and the words for what it takes away. */
export function PublishDialog({ opened, onClose, ...rest }: PublishDialogProps) {
  return (
    <FormDialog opened={opened} onClose={onClose} title={`Publish revision ${rest.revision}?`}>
      <Publishing {...rest} onClose={onClose} />
    </FormDialog>
  );
}

function Publishing({ checker, inUse, ...rest }: Omit<PublishDialogProps, "opened">) {
  const { prepared, failed } = usePrepared(checker, inUse);
  if (failed !== undefined) return <ProblemNote error={failed} title="It could not be prepared" />;
  return prepared === undefined ? <SkeletonLines /> : <PublishForm prepared={prepared} {...rest} />;
}

type PublishFormProps = Pick<PublishDialogProps, "revision" | "onClose" | "onPublished"> & {
  readonly prepared: Prepared;
};

/** Milliseconds: compiled documents can be some megabytes. */
const TIMEOUT = 120_000;

function PublishForm({ prepared: { artifact, changes, hazards }, revision, onClose, onPublished }: PublishFormProps) {
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const [isMissing, setMissing] = useState(false);
  const [restart, setRestart] = useState(false);
  const words = hazards.map(({ word }) => word);
  const publishing = useSend<Publication, PublicationRequest>(
    (body) => ({ method: "POST", path: "/deployment/revisions", body, timeout: TIMEOUT }),
    {
      refreshes: ["/deployment"],
      onDone: ({ body }) => {
        announce(`Revision ${body.revision} is published`);
        onPublished(body.revision);
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
      submitLabel="Publish"
      isPending={publishing.isPending}
      problem={publishing.error === null ? undefined : withFields(publishing.error)}
      problemTitle={publishing.error?.status === 409 ? "Somebody else has published meanwhile" : "It was not published"}
      onCancel={onClose}
    >
      <Changes changes={changes} />
      {hazards.length > 0 && (
        <Note tone="warn" title="It takes protection away">
          <ul>
            {hazards.map(({ word, what }) => (
              <li key={word}>
                It <ForeignText text={what} />.
              </li>
            ))}
          </ul>
        </Note>
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

/** The answer names what is wrong field by field; no field of this form is about any of them. */
function withFields(problem: ApiProblem): ApiProblem {
  if (problem.fields.length === 0) return problem;
  const detail = problem.fields.map((field) => `${field.pointer} ${field.detail}`).join("; ");
  return new ApiProblem({ ...problem, detail: `${problem.detail} ${detail}` }, problem);
}
