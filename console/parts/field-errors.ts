import type { UseFormReturnType } from "@mantine/form";
import { ApiProblem } from "../api/problem.ts";

/** What this needs of a Mantine form, whatever its values are. */
type Form = Pick<UseFormReturnType<Record<string, unknown>>, "setErrors" | "getInputNode" | "getValues">;

/**
 * Puts the refused fields of a problem where they belong in a form, and the focus into the first of them. Answers what is
 * left to be shown above the buttons: nothing when every refusal has its field.
 *
 * @example onError: (error) => setProblem(showFieldErrors(form, error))
 */
export function showFieldErrors<Values>(form: UseFormReturnType<Values>, error: unknown): unknown {
  if (!(error instanceof ApiProblem) || error.fields.length === 0) return error;
  const target = form as unknown as Form;
  const values = target.getValues();
  const known = error.fields.filter(({ pointer }) => firstStep(pointer) in values);
  const errors = Object.fromEntries(known.map(({ pointer, detail }) => [fieldOf(pointer), sentence(detail)]));
  target.setErrors(errors);
  const first = Object.keys(errors)[0];
  if (first !== undefined) target.getInputNode(first)?.focus();
  return known.length === error.fields.length ? undefined : error;
}

/** The API writes `must be …`, to stand behind the name of the field; below a field it stands alone. */
function sentence(detail: string): string {
  return detail.startsWith("must ") ? `M${detail.slice(1)}.` : detail;
}

/** Of a JSON Pointer (RFC 6901) the path of the field in the form: `/scopes/0` is `scopes.0`. */
export function fieldOf(pointer: string): string {
  return steps(pointer).join(".");
}

function firstStep(pointer: string): string {
  return steps(pointer)[0] ?? "";
}

function steps(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
