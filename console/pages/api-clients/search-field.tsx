import { CloseButton, TextInput } from "@mantine/core";
import { SearchIcon } from "../../icons.tsx";
import classes from "./search-field.module.css";

export interface SearchFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SearchField({ value, onChange }: SearchFieldProps) {
  return (
    <TextInput
      className={classes.field}
      aria-label="Search API clients"
      placeholder="Name, description or client ID"
      value={value}
      maxLength={200}
      onChange={(event) => onChange(event.currentTarget.value)}
      leftSection={<SearchIcon size={14} />}
      rightSection={value !== "" && <CloseButton size="sm" aria-label="Clear search" onClick={() => onChange("")} />}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
