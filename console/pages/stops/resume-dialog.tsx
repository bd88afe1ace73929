import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { Stop, StopChange } from "../../../lib/management/schemas/stops.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { Facts } from "../../parts/facts.tsx";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { DialogForm, FormDialog } from "../../parts/form-dialog.tsx";
import { Named } from "../../parts/named.tsx";
import type { Names } from "../../parts/use-names.ts";
import type { Subject } from "../../parts/use-subject.ts";
import { KINDS } from "./stop-kinds.ts";

/** Asks why a suspension is taken back, and says what that brings back. */
export function ResumeDialog({ resuming, names }: { readonly resuming: Subject<Stop>; readonly names: Names }) {
  return (
    <FormDialog
      opened={resuming.isOpen}
      title={`Resume this ${resuming.value ? KINDS[resuming.value.kind].noun : ""}?`}
      onClose={resuming.close}
    >
      {resuming.value && <ResumeForm stop={resuming.value} names={names} onClose={resuming.close} />}
    </FormDialog>
  );
}

interface ResumeFormProps {
  readonly stop: Stop;
  readonly names: Names;
  readonly onClose: () => void;
}

function ResumeForm({ stop, names, onClose }: ResumeFormProps) {
  const announce = useAnnounce();
  const [problem, setProblem] = useState<unknown>();
  const resume = useSend<StopChange, object>(
    (body) => ({ method: "POST", path: path`/stops/${stop.stopId}/resume`, body }),
    {
      refreshes: ["/stops", "/overview", "/tools"],
      onDone: () => {
        announce("Resumed");
        onClose();
      },
    },
  );
  const form = useForm({
    initialValues: { reason: "" },
    validate: { reason: (reason) => (reason.trim() === "" ? "Enter why: it goes to the audit log." : null) },
  });
  const submit = form.onSubmit((values) => {
    setProblem(undefined);
    resume.mutate(values, { onError: (error) => setProblem(showFieldErrors(form, error)) });
  });
  const { label, hasTokens } = KINDS[stop.kind];
  return (
    <DialogForm
      onSubmit={submit}
      submitLabel="Resume"
      isPending={resume.isPending}
      problem={problem}
      problemTitle="It was not resumed"
      onCancel={onClose}
    >
      <Facts
        facts={[
          { term: label, value: <Named id={stop.id} names={names} /> },
          { term: "Stopped because", value: <ForeignText text={stop.reason} /> },
        ]}
      />
      <p>
        {hasTokens
          ? "It may get new tokens and sessions. What it had before stays over, so people sign in again."
          : "It is listed and called again."}
      </p>
      <TextInput
        label="Why"
        description="For the audit log."
        maxLength={200}
        required
        data-autofocus
        {...form.getInputProps("reason")}
      />
    </DialogForm>
  );
}
