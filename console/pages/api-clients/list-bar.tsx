import { CloseButton, NativeSelect, TextInput } from "@mantine/core";
import { SearchIcon } from "../../icons.tsx";
import classes from "./list-bar.module.css";
import { SORTS, type Sort } from "./sorts.ts";

export interface ListBarProps {
  readonly search: string;
  readonly setSearch: (search: string) => void;
  readonly sort: Sort;
  readonly setSort: (sort: Sort) => void;
}

/** What of the list is shown, and in which order. */
export function ListBar({ search, setSearch, sort, setSort }: ListBarProps) {
  return (
    <search className={classes.bar}>
      <TextInput
        className={classes.field}
        aria-label="Search API clients"
        placeholder="Name, description or client ID"
        value={search}
        maxLength={200}
        onChange={(event) => setSearch(event.currentTarget.value)}
        leftSection={<SearchIcon size={14} />}
        rightSection={
          search !== "" && <CloseButton size="sm" aria-label="Clear search" onClick={() => setSearch("")} />
        }
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        aria-label="Order"
        value={sort}
        data={SORTS}
        onChange={({ currentTarget: { value } }) => setSort(SORTS.find((one) => one.value === value)?.value ?? sort)}
      />
    </search>
  );
}
