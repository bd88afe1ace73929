import { NativeSelect, TextInput } from "@mantine/core";
import type { Credential, DocumentFacts } from "../../configuration-check/protocol.ts";

/** What the fields hold, whichever kind is chosen. */
export interface CredentialValues {
  /** `none`, `bearer`, `header`, or `scheme:` and a name. */
  readonly kind: string;
  readonly header: string;
  readonly value: string;
  readonly username: string;
}

export const NO_CREDENTIAL: CredentialValues = { kind: "none", header: "", value: "", username: "" };

type Schemes = DocumentFacts["schemes"];

export interface CredentialFieldsProps {
  readonly values: CredentialValues;
  readonly schemes: Schemes;
  readonly errors: CredentialErrors;
  readonly onChange: (values: CredentialValues) => void;
}

/** What calls carry. The value is a reference: the secret itself is no part of a configuration. */
export function CredentialFields({ values, schemes, errors, onChange }: CredentialFieldsProps) {
  const field = (key: keyof CredentialValues) => ({
    value: values[key],
    error: errors[key],
    autoComplete: "off",
    spellCheck: false,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ ...values, [key]: event.currentTarget.value }),
  });
  const scheme = schemeOf(values, schemes);
  return (
    <>
      <NativeSelect
        label="Credentials of calls"
        data={[
          { value: "none", label: "None" },
          ...schemes.map(({ name, kind }) => ({ value: `scheme:${name}`, label: `${KIND[kind]}, ${name}` })),
          { value: "bearer", label: "Bearer token in Authorization" },
          { value: "header", label: "Another header" },
        ]}
        value={values.kind}
        onChange={(event) => onChange({ ...values, kind: event.currentTarget.value })}
      />
      {values.kind === "header" && <TextInput label="Header" {...field("header")} />}
      {scheme?.kind === "basic" && <TextInput label="User name" {...field("username")} />}
      {values.kind !== "none" && (
        <TextInput
          label={scheme?.kind === "basic" ? "Reference to the password" : "Reference to the secret"}
          description={`Such as ${REFERENCE_HINT}. The secret itself stays where instances find it.`}
          {...field("value")}
        />
      )}
    </>
  );
}

const KIND = { apiKey: "API key", basic: "HTTP Basic", bearer: "Bearer token" } as const;

export type CredentialErrors = Partial<Record<keyof CredentialValues, string>>;

export const REFERENCE_HINT = "<books.token> or {{ env.BOOKS_TOKEN }}";

/** A secret or a variable by its name. */
export const REFERENCE = /^(?:<[A-Za-z0-9_.:/-]+>|\{\{\s*env\.[A-Za-z_]\w*\s*\}\})$/;

/** What is missing; nothing where all is there. */
export function credentialErrors(
  { kind, header, value, username }: CredentialValues,
  schemes: Schemes,
): CredentialErrors {
  if (kind === "none") return {};
  const isBasic = schemeOf({ kind }, schemes)?.kind === "basic";
  return {
    ...(kind === "header" && header.trim() === "" && { header: "Enter the name of the header." }),
    ...(isBasic && username.trim() === "" && { username: "Enter the user name." }),
    ...(!REFERENCE.test(value.trim()) && {
      value: `Enter a reference such as ${REFERENCE_HINT}.`,
    }),
  };
}

/** Undefined: calls carry none. */
export function credentialOf(values: CredentialValues, schemes: Schemes): Credential | undefined {
  const { kind, header, username } = values;
  const value = values.value.trim();
  if (kind === "none") return undefined;
  if (kind === "bearer") return { kind: "header", header: "Authorization", value: `Bearer ${value}` };
  if (kind === "header") return { kind: "header", header: header.trim(), value };
  const scheme = kind.slice(SCHEME.length);
  if (schemeOf(values, schemes)?.kind !== "basic") return { kind: "scheme", scheme, value };
  return { kind: "basic", scheme, username: username.trim(), password: value };
}

const SCHEME = "scheme:";

function schemeOf({ kind }: Pick<CredentialValues, "kind">, schemes: Schemes) {
  return schemes.find(({ name }) => kind === SCHEME + name);
}
