import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { visibleText } from "../../parts/foreign-text.tsx";
import { type Draft, emptyDraft, escaped, type Mistakes } from "./form-values.ts";
import { kindOf, resolved, type Schema } from "./schema.ts";
import classes from "./try.module.css";

interface FieldProps {
  readonly label: string;
  readonly schema: Schema;
  /** What references are looked up in. */
  readonly root: Schema;
  readonly isRequired: boolean;
  readonly draft: Draft | undefined;
  readonly onChange: (draft: Draft) => void;
  /** JSON Pointer. */
  readonly at: string;
  readonly mistakes: Mistakes;
}

export interface SchemaFormProps extends Pick<FieldProps, "root" | "onChange" | "mistakes"> {
  readonly draft: Draft;
}

/** Fields for the members of an object's schema. */
export function SchemaForm({ root, draft, onChange, mistakes }: SchemaFormProps) {
  return <Members {...{ root, draft, onChange, mistakes }} schema={root} at="" />;
}

function Members({
  schema,
  root,
  draft,
  onChange,
  at,
  mistakes,
}: Pick<FieldProps, "schema" | "root" | "draft" | "onChange" | "at" | "mistakes">) {
  const kind = kindOf(schema);
  if (kind.kind !== "object") return null;
  const members =
    typeof draft === "object" && !Array.isArray(draft) ? (draft as { readonly [name: string]: Draft }) : {};
  return Object.entries(kind.properties).map(([name, member]) => (
    <Field
      key={name}
      label={visibleText(name)}
      schema={resolved(member, root)}
      root={root}
      isRequired={kind.required.includes(name)}
      draft={members[name]}
      onChange={(next) => onChange({ ...members, [name]: next })}
      at={`${at}/${escaped(name)}`}
      mistakes={mistakes}
    />
  ));
}

function Field(props: FieldProps) {
  const { label, schema, isRequired, draft, onChange, at, mistakes } = props;
  const kind = kindOf(schema);
  if (kind.kind === "object") return <Group {...props} />;
  if (kind.kind === "list") return <Entries {...props} items={kind.items} />;
  const shared = {
    label,
    description: descriptionOf(schema),
    required: isRequired,
    error: mistakes[at],
    value: typeof draft === "string" ? draft : "",
  };
  switch (kind.kind) {
    case "choice":
    case "boolean": {
      const choices = kind.kind === "choice" ? kind.values.map(String) : ["true", "false"];
      const data = choices.map((text, index) => ({
        value: kind.kind === "choice" ? String(index) : text,
        label: visibleText(text),
      }));
      return (
        <NativeSelect
          {...shared}
          data={[{ value: "", label: "Not given" }, ...data]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    }
    case "json":
      return (
        <Textarea
          {...shared}
          label={`${label} (JSON)`}
          rows={4}
          spellCheck={false}
          classNames={{ input: classes.code }}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    default:
      return (
        <TextInput
          {...shared}
          inputMode={kind.kind === "text" ? "text" : "decimal"}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholderOf(schema)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

/** A nested object. */
function Group({ label, schema, root, isRequired, draft, onChange, at, mistakes }: FieldProps) {
  return (
    <fieldset className={classes.group}>
      <legend>{isRequired ? label : `${label} (optional)`}</legend>
      <Mistake text={mistakes[at]} />
      <Members {...{ schema, root, draft, onChange, at, mistakes }} />
    </fieldset>
  );
}

function Entries({
  label,
  schema,
  root,
  isRequired,
  draft,
  onChange,
  at,
  mistakes,
  items,
}: FieldProps & { readonly items: Schema }) {
  const entries = Array.isArray(draft) ? (draft as readonly Draft[]) : [];
  const item = resolved(items, root);
  return (
    <fieldset className={classes.group}>
      <legend>{isRequired ? label : `${label} (optional)`}</legend>
      <p className={classes.quiet}>{descriptionOf(schema)}</p>
      <Mistake text={mistakes[at]} />
      {placed(entries).map(({ entry, index, key }) => (
        <div key={key} className={classes.entry}>
          <div className={classes.grows}>
            <Field
              label={`${label} ${index + 1}`}
              schema={item}
              root={root}
              isRequired
              draft={entry}
              onChange={(next) => onChange(entries.with(index, next))}
              at={`${at}/${index}`}
              mistakes={mistakes}
            />
          </div>
          <Button
            variant="default"
            size="xs"
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => onChange(entries.toSpliced(index, 1))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button
        variant="default"
        size="xs"
        aria-label={`Add to ${label}`}
        onClick={() => onChange([...entries, emptyDraft(item, root)])}
      >
        Add
      </Button>
    </fieldset>
  );
}

/** Entries have no identity but their place. */
function placed(entries: readonly Draft[]) {
  return entries.map((entry, index) => ({ entry, index, key: `${index}` }));
}

function Mistake({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p role="alert" className={classes.mistake}>
      {visibleText(text)}
    </p>
  );
}

function descriptionOf({ description }: Schema): string | undefined {
  return typeof description === "string" ? visibleText(description.replace(/\s+/g, " ")) : undefined;
}

/** What holds where nothing is given. */
function placeholderOf({ default: by }: Schema): string {
  return by === undefined ? "" : visibleText(JSON.stringify(by));
}
