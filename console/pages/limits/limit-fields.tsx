import { Checkbox, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { LimitSetting } from "../../../lib/management/schemas/gateway-settings.ts";
import { ABOUT, ABOUT_WORDS, type About, ENDPOINTS, joined, PARTITIONS, splitOf, typedOf } from "./limit-texts.ts";

/** What the fields of a limit hold. */
export interface LimitValues extends Readonly<Record<About, string>> {
  readonly name: string;
  readonly endpoint: string;
  readonly per: string;
  readonly rate: string;
  readonly burst: string | number;
  readonly quota: string;
  readonly bytes: string;
  readonly concurrent: string | number;
  readonly exact: boolean;
}

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

export function limitValues(limit: LimitSetting | undefined): LimitValues {
  const { for: about = {}, per, rate, burst, quota, bytes, concurrent, exact } = limit ?? { name: "" };
  return {
    name: limit?.name ?? "",
    endpoint: joined(about.endpoint) || "mcp",
    ...(Object.fromEntries(ABOUT.map((one) => [one, joined(about[one])])) as Record<About, string>),
    per: joined(per),
    rate: rate ?? "",
    burst: burst ?? "",
    quota: quota ?? "",
    bytes: bytes ?? "",
    concurrent: concurrent ?? "",
    exact: exact ?? false,
  };
}

/** The limit as the configuration file would have it. What this form does not ask for stays as it was. */
export function limitOf(fields: LimitValues, former: LimitSetting | undefined): LimitSetting {
  const { name, endpoint, per, rate, burst, quota, bytes, concurrent, exact } = fields;
  const about = ABOUT.flatMap((one) =>
    fields[one].trim() === "" ? [] : [[one, typedOf(fields[one], former?.for?.[one])] as const],
  );
  const text = (key: string, value: string) => (value.trim() === "" ? {} : { [key]: value.trim() });
  const count = (key: string, value: string | number) => (value === "" ? {} : { [key]: Number(value) });
  const isAboutSomething = about.length > 0 || endpoint !== "mcp";
  return {
    name: name.trim(),
    ...(isAboutSomething && {
      for: { ...(endpoint !== "mcp" && { endpoint: splitOf(endpoint) }), ...Object.fromEntries(about) },
    }),
    ...(per !== "" && { per: splitOf(per) }),
    ...text("rate", rate),
    ...count("burst", burst),
    ...text("quota", quota),
    ...text("bytes", bytes),
    ...count("concurrent", concurrent),
    ...(exact && { exact }),
    ...(former?.unavailable !== undefined && { unavailable: former.unavailable }),
  };
}
