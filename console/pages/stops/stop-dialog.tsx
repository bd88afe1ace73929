import { NativeSelect, Radio, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { StopChange } from "../../../lib/management/schemas/stops.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { DialogForm, FormDialog } from "../../parts/form-dialog.tsx";
import { KIND_ORDER, KINDS, type StopKind } from "./stop-kinds.ts";
import { completionText } from "./stop-texts.ts";

/** What a page is about, for the switch to begin with. */
export interface StopTarget {
  readonly kind: StopKind;
  readonly id: string;
}

interface StopDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly target?: StopTarget;
}

/** Asks what to stop, and why. */
export function StopDialog({ opened, onClose, target }: StopDialogProps) {
  return (
    <FormDialog opened={opened} title="Stop something" onClose={onClose}>
      <StopForm onClose={onClose} {...(target && { target })} />
    </FormDialog>
  );
}

interface NewStop {
  readonly kind: StopKind;
  readonly id: string;
  readonly issuer: string;
  readonly state: "suspended" | "ended";
  readonly reason: string;
}

function StopForm({ onClose, target }: Omit<StopDialogProps, "opened">) {
  const announce = useAnnounce();
  const [problem, setProblem] = useState<unknown>();
  const stop = useSend<StopChange, object>((body) => ({ method: "POST", path: "/stops", body }), {
    refreshes: ["/stops", "/overview", "/mcp-sessions", "/tools"],
    onDone: ({ body }) => {
      announce(completionText(body));
      onClose();
    },
  });
  const form = useForm<NewStop>({
    initialValues: { kind: "agent", id: "", issuer: "", state: "suspended", reason: "", ...target },
    validate: {
      id: (id) => (id.trim() === "" ? "Enter what to stop." : null),
      reason: (reason) => (reason.trim() === "" ? "Enter why: it goes to the audit log." : null),
    },
  });
  const { kind } = form.values;
  const words = KINDS[kind];
  const canHaveIssuer = kind === "person" || kind === "agent";
  const submit = form.onSubmit(({ id, issuer, state, reason }) => {
    setProblem(undefined);
    const body = {
      ...{ kind, id: id.trim(), reason, state: words.hasTokens ? state : "suspended" },
      ...(canHaveIssuer && issuer.trim() !== "" && { issuer: issuer.trim() }),
    };
    stop.mutate(body, { onError: (error) => setProblem(showFieldErrors(form, error)) });
  });
  return (
    <DialogForm
      onSubmit={submit}
      submitLabel={words.hasTokens && form.values.state === "ended" ? "End tokens and sessions" : "Suspend"}
      isPending={stop.isPending}
      problem={problem}
      problemTitle="Nothing was stopped"
      onCancel={onClose}
    >
      <NativeSelect
        label="What"
        description={words.effect}
        data={KIND_ORDER.map((value) => ({ value, label: KINDS[value].label }))}
        data-autofocus={target === undefined || undefined}
        {...form.getInputProps("kind")}
      />
      <TextInput
        label="Which"
        description={words.id}
        autoComplete="off"
        spellCheck={false}
        required
        {...form.getInputProps("id")}
      />
      {canHaveIssuer && (
        <TextInput
          label="Issuer"
          description="The authorization server that their tokens are of. Empty: this one."
          autoComplete="off"
          {...form.getInputProps("issuer")}
        />
      )}
      {words.hasTokens && (
        <Radio.Group label="How" {...form.getInputProps("state")}>
          <Radio
            value="suspended"
            label="Suspend"
            description="Until somebody resumes it. Tokens from before stay refused then."
          />
          <Radio
            value="ended"
            label="End tokens and sessions"
            description="It can get new ones at once: for a token that leaked."
          />
        </Radio.Group>
      )}
      <TextInput
        label="Why"
        description="For the audit log, and for whoever resumes it. Who is stopped does not see it."
        maxLength={200}
        required
        data-autofocus={target !== undefined || undefined}
        {...form.getInputProps("reason")}
      />
    </DialogForm>
  );
}
