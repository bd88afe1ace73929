import { TextInput } from "@mantine/core";
import { useId, useState } from "react";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { idOf, type Names } from "../../parts/use-names.ts";

export interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  /** Of what is searched for by its id: it may be typed or chosen by its name as well. */
  readonly names?: Names;
  readonly placeholder?: string;
  readonly onChange: (value: string) => void;
}

/** A whole id or name, or a part of one. It takes effect with Enter or when the field is left: each search is one look into the log. */
export function TextFilter({ label, value, names = NONE, placeholder = "", onChange }: TextFilterProps) {
  const { typed, setTyped } = useTyped(value);
  const listId = useId();
  const name = names.get(value);
  const search = (text: string) => {
    const id = idOf(names, text.trim());
    setTyped(id);
    if (id !== value) onChange(id);
  };
  return (
    <>
      <TextInput
        type="search"
        label={label}
        description={name !== undefined && <ForeignText text={name} isCut />}
        inputWrapperOrder={["label", "input", "description"]}
        placeholder={names === NONE ? placeholder : "Name or id"}
        list={names === NONE ? undefined : listId}
        value={typed}
        maxLength={300}
        onChange={({ currentTarget: { value: text } }) => (names.has(text) ? search(text) : setTyped(text))}
        onBlur={() => search(typed)}
        onKeyDown={(event) => {
          if (event.key === "Enter") search(typed);
        }}
      />
      {names !== NONE && (
        <datalist id={listId}>
          {[...names].map(([id, called]) => (
            <option key={id} value={id} label={visibleText(called)} />
          ))}
        </datalist>
      )}
    </>
  );
}

const NONE: Names = new Map();

/** What stands in the field: what was typed last, or a value that came from elsewhere since, for example a record's details. */
function useTyped(value: string) {
  const [typed, setTyped] = useState(value);
  const [former, setFormer] = useState(value);
  if (value !== former) {
    setFormer(value);
    setTyped(value);
  }
  return { typed, setTyped };
}
