import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { ENTRY_LISTS, type EntryList, type EntryPlace } from "../../configuration-check/protocol.ts";
import { PlusIcon } from "../../icons.tsx";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Panel } from "../../parts/panel.tsx";
import classes from "./forms.module.css";
import type { FormContext } from "./use-proposal.ts";

const EntryForm = lazy(() => import("./entry-form.tsx"));

interface Words {
  readonly title: string;
  readonly description: string;
  /** Of the dialog and the button that adds one. */
  readonly add: string;
  readonly none: string;
}

const WORDS: Readonly<Record<EntryList, Words>> = {
  limits: {
    title: "Limits",
    description: "How many calls and requests are allowed, for whom.",
    add: "Add a limit",
    none: "The text has none.",
  },
  connectors: {
    title: "Connectors",
    description: "Identity providers at which people sign in.",
    add: "Add a connector",
    none: "The text has none: nobody signs in at an identity provider.",
  },
};

interface Opened {
  readonly list: EntryList;
  /** Absent: a new one. */
  readonly at?: EntryPlace;
}

/** Entries of the text beside apps, and forms that add, change and remove them. */
export function EntriesPanels(page: Omit<FormContext, "onClose">) {
  const [opened, setOpened] = useState<Opened>({ list: "limits" });
  const [isOpen, setOpen] = useState(false);
  const open = (next: Opened) => {
    setOpened(next);
    setOpen(true);
  };
  const close = () => setOpen(false);
  const context: FormContext = {
    ...page,
    onClose: close,
    onApply: (text, done) => {
      page.onApply(text, done);
      close();
    },
  };
  const title = opened.at === undefined ? WORDS[opened.list].add : `Change ${visibleText(opened.at.name)}`;
  return (
    <>
      {ENTRY_LISTS.map((list) => (
        <EntryPanel
          key={list}
          words={WORDS[list]}
          names={page.checks.result?.lists[list]}
          onAdd={() => open({ list })}
          onChange={(index, name) => open({ list, at: { list, index, name } })}
        />
      ))}
      <FormDialog opened={isOpen} onClose={close} title={title}>
        <Suspense fallback={<SkeletonLines lines={6} />}>
          <EntryForm key={JSON.stringify(opened)} {...context} list={opened.list} at={opened.at} />
        </Suspense>
      </FormDialog>
    </>
  );
}

interface EntryPanelProps {
  readonly words: Words;
  /** Undefined: they are not known yet. */
  readonly names: readonly string[] | undefined;
  readonly onAdd: () => void;
  readonly onChange: (index: number, name: string) => void;
}

function EntryPanel({ words: { title, description, add, none }, names, onAdd, onChange }: EntryPanelProps) {
  return (
    <Panel
      title={title}
      description={description}
      actions={
        <Button variant="default" size="xs" leftSection={<PlusIcon size={14} />} onClick={onAdd}>
          {add}
        </Button>
      }
    >
      {names === undefined ? (
        <SkeletonLines lines={1} />
      ) : names.length === 0 ? (
        <p className={classes.soft}>{none}</p>
      ) : (
        <ul className={classes.apps} aria-label={title}>
          {names
            .map((name, index) => ({ name, index }))
            .map(({ name, index }) => (
              <li key={`${index} ${name}`} className={classes.app}>
                <span className={classes.name}>
                  <ForeignText text={name} />
                </span>
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`Change ${visibleText(name)}`}
                  onClick={() => onChange(index, name)}
                >
                  Change
                </Button>
              </li>
            ))}
        </ul>
      )}
    </Panel>
  );
}
