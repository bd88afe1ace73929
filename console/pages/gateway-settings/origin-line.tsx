import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { ForeignText } from "../../parts/foreign-text.tsx";
import classes from "./origin-line.module.css";
import { ABOUT, type SettingName, type Settings, valueText } from "./settings.ts";
import type { SettingFieldProps } from "./use-settings.ts";

/** Where the value of a setting comes from, and the ways back. */
export function OriginLine({ name, form: { settings, changes, change } }: SettingFieldProps) {
  const { label } = ABOUT[name];
  const isSet = settings[name].origin === "console";
  const isChanged = changes[name] !== undefined;
  return (
    <div className={classes.line}>
      <span>
        {isChanged ? (
          <Pending name={name} settings={settings} isBack={changes[name] === null} />
        ) : (
          <Origin name={name} settings={settings} />
        )}
      </span>
      {isChanged && (
        <Way label={`Undo the change of ${label}`} onClick={() => change(name, undefined)}>
          Undo
        </Way>
      )}
      {isSet && changes[name] !== null && (
        <Way label={`${label}: back to the file's value`} onClick={() => change(name, null)}>
          Back to the file's value
        </Way>
      )}
    </div>
  );
}

interface OriginProps {
  readonly name: SettingName;
  readonly settings: Settings;
}

export function Origin({ name, settings }: OriginProps) {
  const { origin, configured } = settings[name];
  if (origin === "yaml") return "From the configuration file";
  if (origin === "default") return "Default: not set in the configuration file";
  return (
    <>
      Set in the Console. The file, or its default, has <Value value={configured} />
    </>
  );
}

function Pending({ name, settings, isBack }: OriginProps & { readonly isBack: boolean }) {
  return (
    <>
      <strong className={classes.pending}>{isBack ? "Back to the file, not saved" : "Changed, not saved"}</strong>. Now
      it is <Value value={settings[name].value} />
    </>
  );
}

export function Value({ value }: { readonly value: string | boolean }) {
  if (typeof value === "boolean" || value === "") return <strong>{value === "" ? "empty" : valueText(value)}</strong>;
  return (
    <code>
      <ForeignText text={value} />
    </code>
  );
}

interface WayProps {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function Way({ label, onClick, children }: WayProps) {
  return (
    <Anchor component="button" type="button" inherit onClick={onClick} aria-label={label}>
      {children}
    </Anchor>
  );
}
