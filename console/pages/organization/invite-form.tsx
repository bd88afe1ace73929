import { Radio, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { CreatedInvitation, Invitation, NewInvitation } from "../../../lib/management/schemas/invitations.ts";
import { useList } from "../../api/use-list.ts";
import type { useSend } from "../../api/use-send.ts";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { DialogForm } from "../../parts/form-dialog.tsx";
import { Note } from "../../parts/note.tsx";
import { Time } from "../../parts/time.tsx";
import classes from "./dialogs.module.css";
import { ROLE_NAMES, ROLE_RIGHTS, type Role } from "./roles.tsx";

interface InviteFormProps {
  readonly invite: ReturnType<typeof useSend<CreatedInvitation, NewInvitation>>;
  readonly onClose: () => void;
}

/** E-mail address and role. */
export function InviteForm({ invite, onClose }: InviteFormProps) {
  const [problem, setProblem] = useState<unknown>();
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: "", role: "member" },
    validate: { email: (email) => (email.includes("@") ? null : "Enter an e-mail address.") },
  });
  const submit = form.onSubmit((values) => {
    setProblem(undefined);
    invite.mutate(values, { onError: (error) => setProblem(showFieldErrors(form, error)) });
  });
  return (
    <DialogForm
      onSubmit={submit}
      submitLabel="Create invitation"
      isPending={invite.isPending}
      problem={problem}
      problemTitle="Nobody was invited"
      onCancel={onClose}
    >
      <TextInput
        label="E-mail address"
        description="Their address in Countersign. You get a link to pass on; it is also sent by e-mail if that is configured."
        type="email"
        autoComplete="off"
        required
        data-autofocus
        {...form.getInputProps("email")}
      />
      <Radio.Group label="Role" {...form.getInputProps("role")}>
        <div className={classes.roles}>
          {ROLES.map((role) => (
            <Radio key={role} value={role} label={ROLE_NAMES[role]} description={ROLE_RIGHTS[role]} />
          ))}
        </div>
      </Radio.Group>
      <OpenInvitation email={form.values.email} />
    </DialogForm>
  );
}

const ROLES: readonly Role[] = ["member", "owner"];

/** Tells of an invitation that the address has already. */
function OpenInvitation({ email }: { readonly email: string }) {
  const { items = [] } = useList<Invitation>("/invitations");
  const open = items.find((invitation) => invitation.email === email.trim().toLowerCase());
  if (open === undefined) return null;
  return (
    <Note title="This address has an open invitation">
      It works until <Time value={open.expiresAt} />, and a new one does not end it. Revoke it if its link was lost.
    </Note>
  );
}
