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
import type { Subject } from "../../parts/use-subject.ts";
import { KINDS } from "./stop-kinds.ts";

/** Asks why a suspension is taken back, and says what that brings back. */
export function ResumeDialog({ resuming }: { readonly resuming: Subject<Stop> }) {
  return (
    <FormDialog opened={resuming.isOpen} title="Resume it?" onClose={resuming.close}>
      {resuming.value && <ResumeForm stop={resuming.value} onClose={resuming.close} />}
    </FormDialog>
  );
}

function ResumeForm({ stop, onClose }: { readonly stop: Stop; readonly onClose: () => void }) {
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
          { term: label, value: <ForeignText text={stop.id} /> },
          { term: "Stopped because", value: <ForeignText text={stop.reason} /> },
        ]}
      />
      <p>
        {hasTokens
          ? "It can have new tokens and sessions. Those from before stay over: people sign in again."
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
