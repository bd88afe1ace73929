import { Button } from "@mantine/core";
import { Note } from "../../parts/note.tsx";
import { Time } from "../../parts/time.tsx";
import classes from "./conflict-note.module.css";
import { shownOf } from "./draft.ts";
import { By } from "./last-change.tsx";
import { Value } from "./origin-line.tsx";
import { ABOUT, type SettingName } from "./settings.ts";
import type { SettingsForm } from "./use-settings.ts";

/** Somebody else has saved settings meanwhile: what they changed, and what is to become of these changes. */
export function ConflictNote({ form }: { readonly form: SettingsForm }) {
  const { foreign, changed, latest, keepMine, isSaving } = form;
  const both = foreign.filter((name) => changed.includes(name));
  return (
    <Note
      tone="warn"
      isAlert
      title="The settings were changed meanwhile"
      actions={
        <Button size="xs" variant="default" onClick={keepMine} disabled={isSaving}>
          {both.length > 0 ? "Keep my changes, take the rest" : "Take these, keep my changes"}
        </Button>
      }
    >
      <p>
        Settings were saved <Time value={latest.updatedAt} format="relative" />
        {latest.updatedBy !== undefined && (
          <>
            {" "}
            <By userId={latest.updatedBy} />
          </>
        )}
        . Yours are not saved yet, and not lost.
      </p>
      <ul className={classes.list}>
        {foreign.map((name) => (
          <li key={name}>
            <Difference name={name} form={form} />
          </li>
        ))}
      </ul>
    </Note>
  );
}

function Difference({
  name,
  form: { settings, latest, changes },
}: {
  readonly name: SettingName;
  readonly form: SettingsForm;
}) {
  const [was, is] = [shownOf(settings, {}, name), shownOf(latest.settings, {}, name)];
  return (
    <>
      {ABOUT[name].label}: <Value value={was.value} />{" "}
      {was.value === is.value ? (
        <>stays, {is.isSet ? "now set in the Console" : "now from the file"}</>
      ) : (
        <>
          is now <Value value={is.value} />
        </>
      )}
      {changes[name] !== undefined && (
        <>
          ; you typed <Value value={shownOf(settings, changes, name).value} />
        </>
      )}
    </>
  );
}
