import { TextInput } from "@mantine/core";
import { useState } from "react";

export interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A whole id or name. It takes effect with Enter or when the field is left: each search is one look into the log. */
export function TextFilter({ label, value, onChange }: TextFilterProps) {
  // A value that comes from elsewhere, for example a record's details, begins a new field.
  return <Typed key={value} label={label} value={value} onChange={onChange} />;
}

function Typed({ label, value, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  const apply = () => {
    if (typed.trim() !== value) onChange(typed.trim());
  };
  return (
    <TextInput
      type="search"
      label={label}
      value={typed}
      maxLength={300}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === "Enter") apply();
      }}
    />
  );
}
