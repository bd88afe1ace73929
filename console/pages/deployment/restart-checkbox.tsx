import { Checkbox } from "@mantine/core";

interface RestartCheckboxProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** Of whatever publishes: keys that are settled when an instance starts may change, too. */
export function RestartCheckbox({ isChecked, onChange }: RestartCheckboxProps) {
  return (
    <Checkbox
      label="Also change what takes a restart"
      description="Instances that run refuse it; those that start afterwards use it."
      checked={isChecked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
