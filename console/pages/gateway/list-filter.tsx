import { Button, NativeSelect, TextInput } from "@mantine/core";
import { SearchIcon } from "../../icons.tsx";
import { visibleText } from "../../parts/foreign-text.tsx";
import classes from "./list-filter.module.css";
import { isFiltered } from "./tool-filter.ts";
import { useGatewayAddress } from "./use-gateway-address.ts";

export interface ListFilterProps {
  /** What is looked for: "tools". */
  readonly noun: string;
  readonly placeholder: string;
  /** Names of all apps. */
  readonly apps: readonly string[];
}

/** Narrows a list to an app and to words. Takes effect with every letter. */
export function ListFilter({ noun, placeholder, apps }: ListFilterProps) {
  const { filters, change } = useGatewayAddress();
  return (
    <search className={classes.bar}>
      <TextInput
        className={classes.text}
        type="search"
        aria-label={`Find ${noun}`}
        placeholder={placeholder}
        leftSection={<SearchIcon size={14} />}
        value={filters.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        className={classes.app}
        aria-label="App"
        value={filters.app}
        data={[{ value: "", label: "All apps" }, ...choices(apps, filters.app)]}
        onChange={(event) => change({ app: event.currentTarget.value })}
      />
      {isFiltered(filters) && (
        <Button variant="subtle" onClick={() => change({ text: "", app: "" })}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

/** An app of the address stays a choice where it has none of these. */
function choices(apps: readonly string[], chosen: string) {
  const names = new Set([...apps, ...(chosen === "" ? [] : [chosen])]);
  return [...names].sort().map((name) => ({ value: name, label: visibleText(name) }));
}
