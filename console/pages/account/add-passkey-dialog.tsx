import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Passkey } from "../../../lib/management/schemas/passkeys.ts";
import { useApi } from "../../api/context.ts";
import { isBelow } from "../../api/keys.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { DialogForm, FormDialog } from "../../parts/form-dialog.tsx";
import { addPasskey } from "../../passkeys/ceremonies.ts";
import { deviceOf } from "./device.ts";

export interface AddPasskeyDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks what to call it, then has the browser make it. */
export function AddPasskeyDialog({ opened, onClose }: AddPasskeyDialogProps) {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const add = useMutation<Passkey, Error, string>({
    mutationFn: (name) => addPasskey(api, name),
    onSuccess: () => {
      const isChanged = (path: string) => (query: { readonly queryKey: readonly unknown[] }) =>
        isBelow(query.queryKey, path);
      void queries.invalidateQueries({ predicate: isChanged("/passkeys") });
      void queries.invalidateQueries({ predicate: isChanged("/overview") });
      announce("Passkey added");
      onClose();
    },
  });
  return (
    <FormDialog opened={opened} title="Add passkey" isPending={add.isPending} onClose={onClose}>
      <AddPasskeyForm add={add} onClose={onClose} />
    </FormDialog>
  );
}

interface AddPasskeyFormProps {
  readonly add: UseMutationResult<Passkey, Error, string>;
  readonly onClose: () => void;
}

function AddPasskeyForm({ add, onClose }: AddPasskeyFormProps) {
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({
    initialValues: { name: deviceOf(navigator.userAgent) ?? "Passkey" },
    validate: { name: nameRule },
  });
  const submit = form.onSubmit(({ name }) => {
    setProblem(undefined);
    add.mutate(name, { onError: (error) => setProblem(showFieldErrors(form, error)) });
  });
  return (
    <DialogForm
      onSubmit={submit}
      submitLabel="Create passkey"
      isPending={add.isPending}
      problem={problem}
      onCancel={onClose}
    >
      <TextInput
        label="Name"
        description="For you to tell your passkeys apart. It cannot be changed later."
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <p role="status">
        {add.isPending
          ? "Follow the instructions of your browser."
          : "Your browser then asks where to keep the key, and who you are. The private key stays there."}
      </p>
    </DialogForm>
  );
}

const LONGEST = 100;

/** What the API says of names, said before a device makes a key that would be refused, and would stay on it. */
function nameRule(name: string): string | null {
  const { length } = [...name.trim()];
  if (length === 0) return "Enter a name.";
  return length > LONGEST ? `A name has at most ${LONGEST} characters.` : null;
}
