import { Switch, TextInput } from "@mantine/core";
import { useSession } from "../../session/context.ts";
import { addressOf, addressWith } from "./address.ts";
import { shownOf } from "./draft.ts";
import { OriginLine } from "./origin-line.tsx";
import classes from "./setting-field.module.css";
import { ABOUT } from "./settings.ts";
import type { SettingFieldProps, SettingsForm } from "./use-settings.ts";

/** A setting: what it is, its value to change, and where that comes from. */
export function SettingField({ name, form }: SettingFieldProps) {
  const { settings, changes, errors, change } = form;
  const { label, words } = ABOUT[name];
  const { value } = shownOf(settings, changes, name);
  const field = { id: `setting-${name}`, name, label, description: words, error: errors[name] };
  return (
    <div
      className={classes.field}
      data-changed={changes[name] !== undefined || undefined}
      data-switch={typeof value === "boolean" || undefined}
    >
      {typeof value === "boolean" ? (
        <Switch {...field} checked={value} onChange={(event) => change(name, event.currentTarget.checked)} />
      ) : (
        <TextInput
          {...field}
          value={value}
          onChange={(event) => change(name, event.currentTarget.value)}
          className={classes.text}
          classNames={name === "serverName" ? {} : { input: classes.code ?? "" }}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
      )}
      {name === "streamPath" && typeof value === "string" && <Address form={form} path={value} />}
      <OriginLine name={name} form={form} />
    </div>
  );
}

/** Where agents connect with what is typed. */
function Address({ form, path }: { readonly form: SettingsForm; readonly path: string }) {
  const { instance } = useSession();
  const before = form.settings.streamPath.value;
  const address = addressWith(addressOf(instance, before), before, path.trim());
  if (address === undefined || !path.trim().startsWith("/")) return null;
  return (
    <p className={classes.address}>
      Agents connect at <code>{address}</code>
    </p>
  );
}
