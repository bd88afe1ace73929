import { Button } from "@mantine/core";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { ConflictNote } from "./conflict-note.tsx";
import classes from "./save-bar.module.css";
import { ABOUT } from "./settings.ts";
import type { SettingsForm } from "./use-settings.ts";

/** Stays in sight while something is not saved: what it is, what hinders it, and the buttons. */
export function SaveBar({ form }: { readonly form: SettingsForm }) {
  const { changed, foreign, problem, isSaving, discard } = form;
  if (changed.length === 0) return null;
  const hasConflict = foreign.length > 0;
  const isKnownConflict = hasConflict && problem?.status === 412;
  return (
    <div className={classes.bar}>
      {hasConflict && <ConflictNote form={form} />}
      {!isKnownConflict && <ProblemNote error={problem} title="The settings were not saved" />}
      <div className={classes.actions}>
        <span className={classes.words} role="status">
          Not saved: {changed.map((name) => ABOUT[name].label).join(", ")}
        </span>
        <Button variant="default" onClick={discard} disabled={isSaving}>
          Discard
        </Button>
        {!hasConflict && (
          <Button type="submit" loading={isSaving}>
            Save settings
          </Button>
        )}
      </div>
    </div>
  );
}
