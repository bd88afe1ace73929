import { Textarea, TextInput } from "@mantine/core";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import { useRead } from "../../api/use-read.ts";
import { DataState } from "../../parts/data-state.tsx";
import { AudienceFields } from "./audience-fields.tsx";
import type { ClientForm } from "./client-values.ts";
import { ScopeFields } from "./scope-fields.tsx";

/** The fields of an API client, for a new one and for changes. */
export function ClientFields({ form }: { readonly form: ClientForm }) {
  const instance = useRead<Instance>("/instance");
  return (
    <>
      <TextInput
        label="Name"
        description="Shown in lists and in the audit log."
        required
        maxLength={200}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Textarea
        label="Description"
        description="The purpose of the client, and who is responsible for it."
        rows={2}
        maxLength={2000}
        {...form.getInputProps("description")}
      />
      <DataState
        data={instance.data?.body}
        error={instance.error}
        refetch={() => void instance.refetch()}
        problemTitle="The permissions of this instance could not be read"
      >
        {(body) => (
          <>
            <ScopeFields form={form} instance={body} />
            <AudienceFields form={form} instance={body} />
          </>
        )}
      </DataState>
    </>
  );
}
