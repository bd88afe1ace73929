import { Textarea } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { visibleText } from "../../parts/foreign-text.tsx";
import type { ClientForm } from "./client-values.ts";
import classes from "./field-group.module.css";

export interface FurtherEntriesProps {
  readonly label: string;
  readonly description: string;
  readonly name: "scopes" | "resources";
  /** What is chosen elsewhere, by ticking. */
  readonly offered: readonly string[];
  readonly form: ClientForm;
  readonly onChange: (all: readonly string[]) => void;
}

/** Free entry of what nobody offers. Refusals of the server stand here, with the entry that they are about. */
export function FurtherEntries({ label, description, name, offered, form, onChange }: FurtherEntriesProps) {
  // As it is being typed: only then may it say something that is offered as well, on the way to something longer.
  const [draft, setDraft] = useState<string>();
  const all = form.values[name];
  const ticked = all.filter((entry) => offered.includes(entry));
  const further = all.filter((entry) => !offered.includes(entry));
  const refusals = refusalsOf(form, name);
  const isRefused = refusals.length > 0;
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isRefused) input.current?.focus();
  }, [isRefused]);
  const type = (text: string) => {
    setDraft(text);
    for (const { key } of refusals) form.clearFieldError(key);
    onChange([...ticked, ...entriesOf(text).filter((entry) => !offered.includes(entry))]);
  };
  const leave = () => {
    if (draft !== undefined) onChange([...new Set([...ticked, ...entriesOf(draft)])]);
    setDraft(undefined);
  };
  return (
    <Textarea
      ref={input}
      label={label}
      description={description}
      rows={2}
      spellCheck={false}
      autoComplete="off"
      classNames={{ input: classes.value }}
      value={draft ?? further.join("\n")}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={leave}
      error={isRefused && refusals.map(({ key, words }) => <span key={key}>{words} </span>)}
    />
  );
}

function entriesOf(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((entry) => entry !== ""))];
}

/** Of the list itself, and of each of its entries. */
function refusalsOf(form: ClientForm, name: "scopes" | "resources") {
  return Object.entries(form.errors)
    .filter(([key]) => key === name || key.startsWith(`${name}.`))
    .map(([key, detail]) => {
      const entry = form.values[name][Number(key.slice(name.length + 1))];
      const subject = key === name || entry === undefined ? "The list" : visibleText(entry);
      return { key, words: `${subject} ${detail}.` };
    });
}
