import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { type Names, namesBut, namesOf } from "../../parts/use-names.ts";
import { useSession } from "../../session/context.ts";
import { EVENT_TYPE_GROUPS, OUTCOMES } from "./event-types.ts";
import classes from "./filter-bar.module.css";
import { type Filters, isFiltered, SPANS, YESTERDAY } from "./filters.ts";
import { TextFilter } from "./text-filter.tsx";

export interface FilterBarProps {
  readonly filters: Filters;
  readonly names: Names;
  readonly onChange: (some: Partial<Filters>) => void;
  readonly onClear: () => void;
}

/** Choices take effect at once, a search when its person pauses, other texts with Enter or when the field is left. */
export function FilterBar({ filters, names, onChange, onClear }: FilterBarProps) {
  const agents = namesBut(names, "user_", "key_");
  const people = namesOf(names, "user_");
  const actors = namesBut(names, "key_");
  return (
    <search className={classes.bar}>
      <TextFilter
        label="Search"
        className={classes.search}
        placeholder="Part of a name, tool, outcome, scope, ID"
        isLive
        value={filters.q}
        onChange={(q) => onChange({ q })}
      />
      <NativeSelect
        label="Type"
        value={filters.type}
        data={[{ value: "", label: "All types" }, ...EVENT_TYPE_GROUPS]}
        onChange={(event) => onChange({ type: event.currentTarget.value })}
      />
      <NativeSelect
        label="Outcome"
        value={filters.outcome}
        data={[{ value: "", label: "All outcomes" }, ...OUTCOMES.map(({ value, label }) => ({ value, label }))]}
        onChange={(event) => onChange({ outcome: event.currentTarget.value })}
      />
      <TextFilter label="Actor" names={actors} value={filters.actor} onChange={(actor) => onChange({ actor })} />
      <TextFilter label="Agent" names={agents} value={filters.agent} onChange={(agent) => onChange({ agent })} />
      <TextFilter label="Person" names={people} value={filters.user} onChange={(user) => onChange({ user })} />
      <TextFilter label="Tool" value={filters.tool} onChange={(tool) => onChange({ tool })} />
      {filters.requestId !== "" && (
        <TextFilter label="Request" value={filters.requestId} onChange={(requestId) => onChange({ requestId })} />
      )}
      <TimeFilter filters={filters} onChange={onChange} />
      <NativeSelect
        label="Time zone"
        value={filters.zone}
        data={[
          { value: "", label: `Yours: ${Intl.DateTimeFormat().resolvedOptions().timeZone}` },
          { value: "utc", label: "UTC" },
        ]}
        onChange={(event) => onChange({ zone: event.currentTarget.value })}
      />
      <InstanceFilter filters={filters} onChange={onChange} />
      {isFiltered(filters) && (
        <Button variant="subtle" className={classes.clear} onClick={onClear}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

type PartProps = Pick<FilterBarProps, "filters" | "onChange">;

function TimeFilter({ filters, onChange }: PartProps) {
  const zone = filters.zone === "utc" ? "UTC" : "your time";
  const spans = Object.entries(SPANS).map(([value, { label }]) => ({ value, label }));
  return (
    <>
      <NativeSelect
        label="Time"
        value={filters.span}
        data={[
          { value: "", label: "All times" },
          ...spans,
          { value: YESTERDAY, label: "Yesterday" },
          { value: "custom", label: "From … to …" },
        ]}
        onChange={(event) => onChange({ span: event.currentTarget.value, from: "", to: "" })}
      />
      {filters.span === "custom" && (
        <>
          <TextInput
            type="datetime-local"
            label={`From (${zone})`}
            value={filters.from}
            onChange={(event) => onChange({ from: event.currentTarget.value })}
          />
          <TextInput
            type="datetime-local"
            label={`To (${zone})`}
            value={filters.to}
            onChange={(event) => onChange({ to: event.currentTarget.value })}
          />
        </>
      )}
    </>
  );
}

/** Records that belong to no organization are for owners of the first one. */
function InstanceFilter({ filters, onChange }: PartProps) {
  const { isOwner, instance } = useSession();
  if (!isOwner || instance?.isFirstOrganization !== true) return null;
  return (
    <Checkbox
      className={classes.instance}
      label="Records of the instance"
      checked={filters.instance === "true"}
      onChange={(event) => onChange({ instance: event.currentTarget.checked ? "true" : "" })}
    />
  );
}
