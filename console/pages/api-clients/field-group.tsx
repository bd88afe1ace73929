import { Checkbox } from "@mantine/core";
import { type ReactNode, useId } from "react";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import type { ClientForm } from "./client-values.ts";
import classes from "./field-group.module.css";

export interface FieldGroupProps {
  readonly label: string;
  readonly description: ReactNode;
  readonly children: ReactNode;
}

/** Fields that belong together, under a legend. */
export function FieldGroup({ label, description, children }: FieldGroupProps) {
  const descriptionId = useId();
  return (
    <fieldset className={classes.group} aria-describedby={descriptionId}>
      <legend className={classes.legend}>{label}</legend>
      <p id={descriptionId} className={classes.description}>
        {description}
      </p>
      <div className={classes.fields}>{children}</div>
    </fieldset>
  );
}

export interface CheckListProps {
  readonly label: string;
  readonly entries: readonly { readonly value: string; readonly description?: string | undefined }[];
  /** Said when there is nothing to choose from. */
  readonly empty?: string;
  /** May have values besides those of the entries: they stay. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Values to tick, in the typewriter's letters. */
export function CheckList({ label, entries, empty, chosen, onChange }: CheckListProps) {
  const toggle = (value: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, value] : chosen.filter((other) => other !== value));
  return (
    <div>
      <p className={classes.label}>{label}</p>
      {entries.length === 0 && <p className={classes.description}>{empty}</p>}
      <div className={classes.entries}>
        {entries.map(({ value, description }) => (
          <Checkbox
            key={value}
            label={<code className={classes.value}>{value}</code>}
            description={description}
            checked={chosen.includes(value)}
            onChange={(event) => toggle(value, event.currentTarget.checked)}
          />
        ))}
      </div>
    </div>
  );
}

export interface InstanceFieldsProps {
  readonly form: ClientForm;
  readonly instance: Instance;
}
