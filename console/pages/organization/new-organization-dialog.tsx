import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Organization, OrganizationFields } from "../../../lib/management/schemas/organizations.ts";
import type { Me } from "../../../lib/management/schemas/profile.ts";
import { keyOf } from "../../api/keys.ts";
import type { Answer } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { visibleText } from "../../parts/foreign-text.tsx";
import { DialogForm, FormDialog } from "../../parts/form-dialog.tsx";
import { useSession } from "../../session/context.ts";
import classes from "./dialogs.module.css";
import { nameRule } from "./name-rule.ts";

interface NewOrganizationDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Makes an organization that the person owns, and goes on in it. */
export function NewOrganizationDialog({ opened, onClose }: NewOrganizationDialogProps) {
  const { switchTo } = useSession();
  const announce = useAnnounce();
  const join = useJoin();
  const create = useSend<Organization, OrganizationFields>(
    (body) => ({ method: "POST", path: "/organizations", body }),
    {
      refreshes: ["/organizations"],
      onDone: ({ body }) => {
        join(body);
        announce(`Organization created. The Console is about ${visibleText(body.name)} now.`);
        switchTo(body.organizationId);
      },
    },
  );
  return (
    <FormDialog opened={opened} title="New organization" isPending={create.isPending} onClose={onClose}>
      <NewOrganizationForm create={create} onClose={onClose} />
    </FormDialog>
  );
}

interface NewOrganizationFormProps {
  readonly create: ReturnType<typeof useSend<Organization, OrganizationFields>>;
  readonly onClose: () => void;
}

function NewOrganizationForm({ create, onClose }: NewOrganizationFormProps) {
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({ initialValues: { name: "" }, validate: { name: nameRule } });
  const submit = form.onSubmit((values) => {
    setProblem(undefined);
    create.mutate(values, { onError: (error) => setProblem(showFieldErrors(form, error)) });
  });
  return (
    <DialogForm
      onSubmit={submit}
      submitLabel="Create organization"
      isPending={create.isPending}
      problem={problem}
      problemTitle="No organization was created"
      onCancel={onClose}
    >
      <p className={classes.words}>
        It has members, API clients and an audit log of its own, and you are its owner. Nobody from this organization
        can see it until you invite them. An organization cannot be deleted. From the second organization on, people
        must be members to use an app, unless the configuration says otherwise.
      </p>
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
    </DialogForm>
  );
}

/** The person belongs to it from now on, also before that is read again: otherwise the Console could not be about it. */
function useJoin(): (organization: Organization) => void {
  const queries = useQueryClient();
  const key = keyOf(undefined, "/me");
  return ({ organizationId, name, role }) => {
    queries.setQueryData<Answer<Me>>(
      key,
      (former) =>
        former && {
          ...former,
          body: { ...former.body, organizations: [...former.body.organizations, { organizationId, name, role }] },
        },
    );
    void queries.invalidateQueries({ queryKey: key });
  };
}
