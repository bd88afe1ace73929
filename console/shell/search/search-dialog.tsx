import { Combobox, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type KeyboardEvent, useLayoutEffect, useState } from "react";
import { SearchIcon } from "../../icons.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import type { Entry } from "./entries.ts";
import classes from "./search-dialog.module.css";
import { useEntries } from "./use-entries.ts";

export interface SearchDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Finds pages, API clients, tools and records by a part of their names, and goes there. Where nothing is chosen, the focus goes back. */
export function SearchDialog({ opened, onClose }: SearchDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Search" closeOnClickOutside returnFocus={false} yOffset="12vh">
      <Search onClose={onClose} />
    </Dialog>
  );
}

/** Milliseconds without a key before the server is asked. */
const PAUSE = 200;

function Search({ onClose }: Pick<SearchDialogProps, "onClose">) {
  const [text, setText] = useState("");
  const [asked] = useDebouncedValue(text.trim(), PAUSE);
  const { groups, problems, isSearching } = useEntries(text.trim(), asked);
  const combobox = useCombobox({ opened: true });
  const entries = groups.flatMap((group) => group.entries);
  const ids = entries.map(({ id }) => id).join("\n");
  const { selectFirstOption, resetSelectedOption } = combobox;
  // Whenever the entries are others, Enter takes the first one.
  useLayoutEffect(() => {
    resetSelectedOption();
    if (ids !== "") selectFirstOption();
  }, [ids, resetSelectedOption, selectFirstOption]);
  const go = (id: string) => {
    // Not in the dialog any more: the page takes the focus when it comes.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    onClose();
    entries.find((entry) => entry.id === id)?.run();
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const [first] = entries;
    if (key === "Escape") onClose();
    if (key === "Enter" && combobox.getSelectedOptionIndex() === -1 && first !== undefined) go(first.id);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={go}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          data-autofocus
          className={classes.field}
          aria-label="Search the Console"
          placeholder="A page, API client, tool, or something to do"
          leftSection={<SearchIcon size={14} />}
          value={text}
          maxLength={100}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          autoComplete="off"
          spellCheck={false}
        />
      </Combobox.EventsTarget>
      {problems.map(({ title, error, retry }) => (
        <ProblemNote key={title} title={title} error={error} onRetry={retry} />
      ))}
      <Combobox.Options className={classes.options} aria-label="Found">
        {groups.map(({ heading, entries: some }) => (
          <Combobox.Group key={heading} label={heading}>
            {some.map((entry) => (
              <Line key={entry.id} entry={entry} />
            ))}
          </Combobox.Group>
        ))}
        {entries.length === 0 && <Combobox.Empty>Nothing has this name</Combobox.Empty>}
      </Combobox.Options>
      <p className={classes.searching} role="status">
        {isSearching && "API clients are searched…"}
      </p>
    </Combobox>
  );
}

function Line({ entry: { id, label, detail } }: { readonly entry: Entry }) {
  return (
    <Combobox.Option value={id}>
      <span className={classes.line}>
        <span className={classes.label}>
          <ForeignText text={label} />
        </span>
        {detail && (
          <span className={classes.detail}>
            <ForeignText text={detail} isCut />
          </span>
        )}
      </span>
    </Combobox.Option>
  );
}
