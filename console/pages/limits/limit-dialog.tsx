import { Checkbox, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { GatewaySettings, LimitSetting } from "../../../lib/management/schemas/gateway-settings.ts";
import { ApiProblem } from "../../api/problem.ts";
import type { Answer } from "../../api/request.ts";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { DialogForm, FormDialog } from "../../parts/form-dialog.tsx";
import type { Subject } from "../../parts/use-subject.ts";
import { ABOUT, ABOUT_WORDS, type About, ENDPOINTS, joined, PARTITIONS, splitOf, typedOf } from "./limit-texts.ts";
import { useChangedLimits } from "./use-limits.ts";

interface LimitDialogProps {
  readonly latest: Answer<GatewaySettings>;
  /** The place of the limit that is changed; -1: it is a new one. */
  readonly editing: Subject<number>;
}

/** Asks what a limit is about and how much it allows. */
export function LimitDialog({ latest, editing }: LimitDialogProps) {
  const { value: index = -1 } = editing;
  return (
    <FormDialog opened={editing.isOpen} title={index < 0 ? "Add a limit" : "Change the limit"} onClose={editing.close}>
      <LimitForm key={index} latest={latest} index={index} onClose={editing.close} />
    </FormDialog>
  );
}

interface Fields extends Readonly<Record<About, string>> {
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

interface LimitFormProps {
  readonly latest: Answer<GatewaySettings>;
  readonly index: number;
  readonly onClose: () => void;
}

function LimitForm({ latest, index, onClose }: LimitFormProps) {
  const [problem, setProblem] = useState<unknown>();
  const limits = latest.body.settings.limits.value;
  const place = index < 0 ? limits.length : index;
  const former = limits[place];
  const put = useChangedLimits(latest, onClose);
  const form = useForm<Fields>({
    initialValues: fieldsOf(former),
    validate: { name: (name) => (name.trim() === "" ? "Enter a name: answers and records have it." : null) },
  });
  const submit = form.onSubmit((fields) => {
    setProblem(undefined);
    put.mutate(limits.toSpliced(place, 1, limitOf(fields, former)), {
      onError: (error) => setProblem(showFieldErrors(form, ofPlace(error, place))),
    });
  });
  return (
    <DialogForm
      onSubmit={submit}
      submitLabel={former === undefined ? "Add limit" : "Change limit"}
      isPending={put.isPending}
      problem={problem}
      problemTitle="The limits were not changed"
      onCancel={onClose}
    >
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
    </DialogForm>
  );
}

function fieldsOf(limit: LimitSetting | undefined): Fields {
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
function limitOf(fields: Fields, former: LimitSetting | undefined): LimitSetting {
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

/** The refusals of this limit with the pointers of the form's fields. */
function ofPlace(error: ApiProblem, place: number): ApiProblem {
  const start = `/limits/${place}`;
  const fields = error.fields.map(({ pointer, detail }) => {
    if (!pointer.startsWith(start)) return { pointer, detail };
    const below = pointer.slice(start.length).replace(/^\/for\//, "/");
    // What is wrong with the whole, such as a limit without an amount.
    return { pointer: below === "" ? "/rate" : below, detail };
  });
  const { status, code, title, detail, requestId, retryAfter } = error;
  return new ApiProblem({ status, code, title, detail, requestId, retryAfter, fields }, error);
}
