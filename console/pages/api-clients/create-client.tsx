import { Button } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { ClientFields } from "./client-fields.tsx";
import classes from "./client-form.module.css";
import { type ClientValues, NO_VALUES } from "./client-values.ts";
import type { FormDrawerHandle } from "./form-drawer.tsx";
import { needsName } from "./needs-name.ts";

/** Creates an API client and goes to its page, where the key pair comes next. */
export function CreateClient({ drawer }: { readonly drawer: FormDrawerHandle }) {
  const [, navigate] = useLocation();
  const announce = useAnnounce();
  const [problem, setProblem] = useState<unknown>();
  const form = useForm<ClientValues>({
    initialValues: NO_VALUES,
    validate: { name: needsName },
    onValuesChange: (values) => drawer.setDirty(JSON.stringify(values) !== JSON.stringify(NO_VALUES)),
  });
  const create = useSend<ApiClient, ClientValues>((body) => ({ method: "POST", path: "/api-clients", body }), {
    refreshes: ["/api-clients", "/overview"],
    onDone: ({ body }) => {
      announce("API client created");
      navigate(`/api-clients/${encodeURIComponent(body.clientId)}`);
    },
  });
  const submit = form.onSubmit((values) => {
    if (create.isPending) return;
    setProblem(undefined);
    create.mutate(values, { onError: (error) => setProblem(showFieldErrors(form, error)) });
  });
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <ClientFields form={form} />
      <div className={classes.foot}>
        <ProblemNote error={problem} title="The API client was not created" />
        <div className={classes.actions}>
          <Button variant="default" onClick={drawer.close} disabled={create.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create API client
          </Button>
        </div>
      </div>
    </form>
  );
}
