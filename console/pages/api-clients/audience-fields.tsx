import { Note } from "../../parts/note.tsx";
import { hasToolScope } from "./client-values.ts";
import type { InstanceFieldsProps } from "./field-group.tsx";
import { CheckList, FieldGroup } from "./field-group.tsx";
import { FurtherEntries } from "./further-entries.tsx";

/** What tokens of the client may be for, besides the management API. */
export function AudienceFields({ form, instance }: InstanceFieldsProps) {
  const { scopes, resources } = form.values;
  const choose = (next: readonly string[]) => form.setFieldValue("resources", next);
  return (
    <FieldGroup
      label="Audiences"
      description={
        <>
          A token works at one address alone. The client may always ask for one for the management API; to call tools,
          it asks for one for the gateway.
        </>
      }
    >
      <CheckList
        label="Gateway"
        entries={instance.resources.map(({ url, name }) => ({ value: url, description: `${name} endpoint` }))}
        empty="This instance serves no gateway."
        chosen={resources}
        onChange={choose}
      />
      {hasToolScope(scopes, instance) && resources.length === 0 && (
        <Note tone="warn">
          The client has scopes for tools but no audience. It gets no token that a gateway accepts.
        </Note>
      )}
      <FurtherEntries
        label="Further audiences"
        description="URLs of other APIs that accept tokens of this issuer. One per line."
        name="resources"
        offered={instance.resources.map(({ url }) => url)}
        form={form}
        onChange={choose}
      />
    </FieldGroup>
  );
}
