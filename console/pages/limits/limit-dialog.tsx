import { useForm } from "@mantine/form";
import { useState } from "react";
import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";
import { ApiProblem } from "../../api/problem.ts";
import type { Answer } from "../../api/request.ts";
import { showFieldErrors } from "../../parts/field-errors.ts";
import { DialogForm, FormDialog } from "../../parts/form-dialog.tsx";
import type { Subject } from "../../parts/use-subject.ts";
import { LimitFields } from "./limit-fields.tsx";
import { type LimitValues, limitOf, limitValues } from "./limit-values.ts";
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
  const form = useForm<LimitValues>({
    initialValues: limitValues(former),
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
      <LimitFields form={form} />
    </DialogForm>
  );
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
