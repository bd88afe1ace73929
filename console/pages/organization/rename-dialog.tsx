import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { Organization } from "../../../lib/management/schemas/organizations.ts";
import { useApi } from "../../api/context.ts";
import { type Answer, path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { DialogForm, FormDialog } from "../../parts/form-dialog.tsx";
import { Note } from "../../parts/note.tsx";
import { nameRule } from "./name-rule.ts";

export interface RenameDialogProps {
  readonly opened: boolean;
  /** The organization as the person sees it. */
  readonly answer: Answer<Organization>;
  readonly onClose: () => void;
}

export function RenameDialog({ opened, answer, onClose }: RenameDialogProps) {
  const announce = useAnnounce();
  const address = path`/organizations/${answer.body.organizationId}`;
  const rename = useSend<Organization, Renaming>(
    ({ name, ifMatch }) => ({ method: "PATCH", path: address, body: { name }, ifMatch }),
    {
      refreshes: ["/organizations", "/me"],
      onDone: () => {
        announce("Organization renamed");
        onClose();
      },
    },
  );
  return (
    <FormDialog opened={opened} title="Rename organization" isPending={rename.isPending} onClose={onClose}>
      <RenameForm seen={answer} address={address} rename={rename} onClose={onClose} />
    </FormDialog>
  );
}

interface Renaming {
  readonly name: string;
  readonly ifMatch: string | undefined;
}

interface RenameFormProps {
  readonly seen: Answer<Organization>;
  readonly address: string;
  readonly rename: ReturnType<typeof useSend<Organization, Renaming>>;
  readonly onClose: () => void;
}

/** Replaces the name that the person saw when the dialog opened, and none that came since without asking. */
function RenameForm({ seen, address, rename, onClose }: RenameFormProps) {
  const api = useApi();
  const [base, setBase] = useState(seen);
  const [isOvertaken, setOvertaken] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({ initialValues: { name: seen.body.name }, validate: { name: nameRule } });
  const showNewest = async () => {
    try {
      setBase(await api.send<Organization>({ path: address }));
      setOvertaken(true);
    } catch (error) {
      setProblem(error);
    }
  };
  const submit = form.onSubmit(({ name }) => {
    setProblem(undefined);
    rename.mutate(
      { name, ifMatch: base.etag },
      {
        onError: (error) => (error.code === "stale" ? void showNewest() : setProblem(showFieldErrors(form, error))),
      },
    );
  });
  return (
    <DialogForm
      onSubmit={submit}
      submitLabel={isOvertaken ? "Replace name" : "Rename organization"}
      isPending={rename.isPending}
      problem={problem}
      problemTitle="The name was not changed"
      onCancel={onClose}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      {isOvertaken && (
        <Note tone="warn" isAlert title="Somebody else renamed it meanwhile">
          It is called{" "}
          <strong>
            <ForeignText text={base.body.name} />
          </strong>{" "}
          now. Replace that name with yours, or cancel to keep it.
        </Note>
      )}
    </DialogForm>
  );
}
