import { hasToolScope } from "./client-values.ts";
import { CheckList, FieldGroup, type InstanceFieldsProps } from "./field-group.tsx";
import { FurtherEntries } from "./further-entries.tsx";

/** Permissions of the management API, scopes of tools, and any others. */
export function ScopeFields({ form, instance }: InstanceFieldsProps) {
  const { scopes } = form.values;
  const offered = (kind: "management" | "tool") => instance.scopes.filter((offer) => offer.kind === kind);
  const choose = (next: readonly string[]) => {
    const becomesToolUser = !hasToolScope(scopes, instance) && hasToolScope(next, instance);
    form.setFieldValue("scopes", next);
    // Without the gateway's audience, scopes of tools are of no use.
    if (becomesToolUser && form.values.resources.length === 0) {
      form.setFieldValue(
        "resources",
        instance.resources.map(({ url }) => url),
      );
    }
  };
  return (
    <FieldGroup
      label="Permissions"
      description="The most that the client can be granted. A change takes effect with the next token. Issued tokens keep their scopes."
    >
      <CheckList
        label="Management API"
        entries={offered("management").map(({ scope, description }) => ({ value: scope, description }))}
        chosen={scopes}
        onChange={choose}
      />
      <CheckList
        label="Tools behind the gateway"
        entries={offered("tool").map(({ scope }) => ({ value: scope }))}
        empty="No tool of this organization asks for a scope."
        chosen={scopes}
        onChange={choose}
      />
      <FurtherEntries
        label="Further scopes"
        description="For tools and APIs that are not listed. One per line."
        name="scopes"
        offered={instance.scopes.map(({ scope }) => scope)}
        form={form}
        onChange={choose}
      />
    </FieldGroup>
  );
}
