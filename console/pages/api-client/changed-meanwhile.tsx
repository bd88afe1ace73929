import { Button } from "@mantine/core";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { type ClientField, type ClientValues, differingFields } from "../api-clients/client-values.ts";
import classes from "./changed-meanwhile.module.css";

export interface ChangedMeanwhileProps {
  /** What the form began with. */
  readonly before: ClientValues;
  readonly own: ClientValues;
  /** What somebody else made of it. */
  readonly newer: ClientValues;
  readonly onKeep: () => void;
  readonly onTake: () => void;
}

/** Somebody else changed the client while the form was open: shows what, and lets the person choose. */
export function ChangedMeanwhile({ before, own, newer, onKeep, onTake }: ChangedMeanwhileProps) {
  const theirs = differingFields(before, newer);
  const mine = differingFields(before, own);
  const contested = theirs.filter((field) => mine.includes(field) && differingFields(own, newer).includes(field));
  const actions = (
    <>
      <Button size="xs" variant="default" onClick={onKeep}>
        {contested.length === 0 ? "Go on with both changes" : "Keep my entries"}
      </Button>
      {contested.length > 0 && (
        <Button size="xs" variant="default" onClick={onTake}>
          Take theirs
        </Button>
      )}
    </>
  );
  return (
    <Note tone="warn" isAlert title="Somebody else changed this API client meanwhile" actions={actions}>
      <p>Nothing has been saved yet. What you entered is still here.</p>
      <ul className={classes.changes}>
        {theirs.map((field) => (
          <li key={field}>
            {LABEL[field]} is now <Value value={newer[field]} />
            {contested.includes(field) ? ", and you changed it, too." : "."}
          </li>
        ))}
      </ul>
    </Note>
  );
}

function Value({ value }: { readonly value: string | readonly string[] }) {
  const text = typeof value === "string" ? value : value.join(", ");
  if (text === "") return <strong>empty</strong>;
  return (
    <strong>
      <ForeignText text={text} />
    </strong>
  );
}

const LABEL: Readonly<Record<ClientField, string>> = {
  name: "The name",
  description: "The description",
  scopes: "The list of permissions",
  resources: "The list of audiences",
};
