import type { Tool, ToolList } from "../../../lib/management/schemas/tools.ts";
import { useRead } from "../../api/use-read.ts";
import { visibleText } from "../../parts/foreign-text.tsx";
import { hasToolScope } from "./client-values.ts";
import { CheckList, FieldGroup, type InstanceFieldsProps } from "./field-group.tsx";
import { FurtherEntries } from "./further-entries.tsx";

/** Permissions of the management API, scopes of tools, and any others. */
export function ScopeFields({ form, instance }: InstanceFieldsProps) {
  const { scopes } = form.values;
  // Where they cannot be read, scopes go without the names of their tools.
  const tools = useRead<ToolList>("/tools").data?.body.items ?? [];
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
        entries={offered("tool").map(({ scope }) => ({ value: scope, description: toolsOf(scope, tools) }))}
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

/** So many tools of a scope are named. */
const NAMED = 4;

/** Which tools ask for the scope; undefined where only MCP servers do, whose tools are not known here. */
function toolsOf(scope: string, tools: readonly Tool[]): string | undefined {
  const names = tools
    .filter(({ scopes, denied }) => scopes.includes(scope) && !denied)
    .map(({ name }) => visibleText(name));
  if (names.length === 0) return undefined;
  const [shown, more] = [names.slice(0, NAMED).join(", "), names.length - NAMED];
  return more > 0 ? `For ${shown} and ${more} more` : `For ${shown}`;
}
