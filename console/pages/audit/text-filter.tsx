import { TextInput } from "@mantine/core";
import { useEffect, useEffectEvent, useId, useState } from "react";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { idOf, type Names } from "../../parts/use-names.ts";

export interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  /** Of what is searched for by its id: it may be typed or chosen by its name as well. */
  readonly names?: Names;
  readonly placeholder?: string;
  /** It takes effect when nothing was typed for a while, too. */
  readonly isLive?: boolean;
  readonly className?: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Milliseconds without typing: each search is one look into the log. */
const PAUSE = 500;

/** A whole id or name, or a part of one. It takes effect with Enter, when the field is left, and where it is live after a pause. */
export function TextFilter(props: TextFilterProps) {
  const { label, value, names = NONE, placeholder = "Whole name", isLive = false, className, onChange } = props;
  const { typed, setTyped } = useTyped(value);
  const listId = useId();
  const name = names.get(value);
  const search = (text: string) => {
    const id = idOf(names, text.trim());
    setTyped(id);
    if (id !== value) onChange(id);
  };
  const isWaiting = !isLive && typed.trim() !== value;
  const searchTyped = useEffectEvent(() => {
    if (typed.trim() !== value) onChange(typed.trim());
  });
  useEffect(() => {
    if (!isLive || typed.trim() === value) return undefined;
    const timer = setTimeout(searchTyped, PAUSE);
    return () => clearTimeout(timer);
  }, [isLive, typed, value]);
  return (
    <>
      <TextInput
        type="search"
        className={className}
        label={label}
        description={isWaiting ? "Press Enter" : name !== undefined && <ForeignText text={name} isCut />}
        inputWrapperOrder={["label", "input", "description"]}
        placeholder={names === NONE ? placeholder : "Name or ID"}
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
    // A space at the end stays while somebody types on.
    if (typed.trim() !== value) setTyped(value);
  }
  return { typed, setTyped };
}
