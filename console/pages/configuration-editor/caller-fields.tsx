import { NativeSelect, TextInput } from "@mantine/core";
import type { Callers } from "../../configuration-check/protocol.ts";

/** What the fields hold. */
export interface CallerValues {
  readonly scopes: string;
  readonly members: "" | "required" | "any";
}

export const NO_CALLERS: CallerValues = { scopes: "", members: "" };

export interface CallerFieldsProps {
  readonly values: CallerValues;
  readonly error: string | undefined;
  readonly onChange: (values: CallerValues) => void;
}

/** Who may call the tools of a new app. */
export function CallerFields({ values, error, onChange }: CallerFieldsProps) {
  return (
    <>
      <TextInput
        label="Scopes that callers need"
        description="For all its tools, with spaces between, such as books:read. Empty: every agent with a token may call them."
        value={values.scopes}
        error={error}
        onChange={(event) => onChange({ ...values, scopes: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        label="People whose agents may call"
        description="Not chosen: members of your organization alone where agents register themselves or there are several organizations, else whoever signs in."
        data={[
          { value: "", label: "Not chosen" },
          { value: "required", label: "Members of your organization" },
          { value: "any", label: "Whoever signs in" },
        ]}
        value={values.members}
        onChange={(event) => onChange({ ...values, members: membersOf(event.currentTarget.value) })}
      />
    </>
  );
}

function membersOf(value: string): CallerValues["members"] {
  return value === "required" || value === "any" ? value : "";
}

/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Undefined: nothing is wrong with them. */
export function scopesError({ scopes }: CallerValues): string | undefined {
  return scopesOf(scopes).every((scope) => SCOPE.test(scope))
    ? undefined
    : "Scopes have letters, digits and signs, and neither quotes nor backslashes.";
}

export function callersOf({ scopes, members }: CallerValues): Callers {
  return { scopes: scopesOf(scopes), ...(members !== "" && { members }) };
}

function scopesOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((scope) => scope !== "");
}
