import { Checkbox, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { ABOUT, ABOUT_WORDS, ENDPOINTS, PARTITIONS } from "./limit-texts.ts";
import type { LimitValues } from "./limit-values.ts";

/** What a limit is about and how much it allows. */
export function LimitFields({ form }: { readonly form: UseFormReturnType<LimitValues> }) {
  return (
    <>
      <TextInput
        label="Name"
        description="Agents that are refused are told it."
        autoComplete="off"
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <NativeSelect label="What is counted" data={ENDPOINTS.map((one) => one)} {...form.getInputProps("endpoint")} />
      {ABOUT.map((about) => (
        <TextInput
          key={about}
          label={ABOUT_WORDS[about].label}
          description={`${ABOUT_WORDS[about].words} Several with commas between; empty: any.`}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps(about)}
        />
      ))}
      <NativeSelect label="Counted by" data={PARTITIONS.map((one) => one)} {...form.getInputProps("per")} />
      <TextInput label="Rate" description="Such as 100/s, 600/m or 5000/h." {...form.getInputProps("rate")} />
      <NumberInput
        label="Burst"
        description="How many at once, when nothing came before. Empty: the number of the rate."
        min={1}
        {...form.getInputProps("burst")}
      />
      <TextInput
        label="Quota"
        description="Such as 10000/day or 250000/month, in UTC."
        {...form.getInputProps("quota")}
      />
      <TextInput
        label="Bytes"
        description="Of arguments, and of bodies for web apps: such as 500KB/s or 5GB/day."
        {...form.getInputProps("bytes")}
      />
      <NumberInput
        label="At the same time"
        description="Calls, in each instance."
        min={1}
        {...form.getInputProps("concurrent")}
      />
      <Checkbox
        label="Exact"
        description="On Workers and Lambda, each call asks the shared count."
        {...form.getInputProps("exact", { type: "checkbox" })}
      />
    </>
  );
}
