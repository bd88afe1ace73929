import { type FormEvent, useEffect, useState } from "react";
import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";
import type { Answer } from "../../api/request.ts";
import { Panel } from "../../parts/panel.tsx";
import { UnsavedChanges } from "../../parts/unsaved-changes.tsx";
import { useSession } from "../../session/context.ts";
import { addressOf } from "./address.ts";
import { AppliedNote } from "./applied-note.tsx";
import { type CutOff, cutOffs } from "./cut-offs.ts";
import { LastChange } from "./last-change.tsx";
import { SaveBar } from "./save-bar.tsx";
import { SaveDialog } from "./save-dialog.tsx";
import { SettingField } from "./setting-field.tsx";
import { GROUPS, SETTING_NAMES } from "./settings.ts";
import classes from "./settings-form.module.css";
import { useSettingsForm } from "./use-settings.ts";

/** The settings to change, for owners. */
export function SettingsForm({ latest }: { readonly latest: Answer<GatewaySettings> }) {
  const { instance } = useSession();
  const form = useSettingsForm(latest);
  const { settings, changes, errors } = form;
  const [asked, setAsked] = useState<readonly CutOff[]>();
  const address = addressOf(instance, settings.streamPath.value);
  useEffect(() => {
    const first = SETTING_NAMES.find((name) => errors[name] !== undefined);
    if (first !== undefined) document.getElementById(`setting-${first}`)?.focus();
  }, [errors]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.changed.length === 0 || form.foreign.length > 0 || form.isSaving) return;
    const found = cutOffs(settings, changes, address);
    if (found.length > 0) setAsked(found);
    else form.save(() => undefined);
  };
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <AppliedNote latest={form.latest} isSaved={form.isSaved} />
      {GROUPS.map(({ title, names }) => (
        <Panel key={title} title={title} flush>
          {names.map((name) => (
            <SettingField key={name} name={name} form={form} />
          ))}
        </Panel>
      ))}
      <LastChange latest={form.latest} />
      <SaveBar form={form} />
      <SaveDialog
        found={asked}
        serverName={settings.serverName.value}
        isSaving={form.isSaving}
        onConfirm={() => form.save(() => setAsked(undefined))}
        onClose={() => setAsked(undefined)}
      />
      <UnsavedChanges isUnsaved={form.changed.length > 0} />
    </form>
  );
}
