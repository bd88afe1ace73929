import { Button, Checkbox, Textarea, TextInput } from "@mantine/core";
import { useId, useState } from "react";
import type { AppTool, ToolSettings } from "../../configuration-check/protocol.ts";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import classes from "./forms.module.css";
import { ToolWords } from "./tool-rows.tsx";

export interface ToolSettingsRowProps {
  readonly tool: AppTool;
  /** As they are in the form now. */
  readonly settings: ToolSettings;
  /** Names and descriptions of a server's tools are the server's. */
  readonly isRestApi: boolean;
  /** Calls carry exchanged tokens. */
  readonly hasTokens: boolean;
  readonly onChange: (settings: ToolSettings) => void;
}

/** One tool: whether it is offered, and the fields for the rest once they are asked for. */
export function ToolSettingsRow({ tool, settings, isRestApi, hasTokens, onChange }: ToolSettingsRowProps) {
  const [isOpen, setOpen] = useState(false);
  const fieldsId = useId();
  const { original, pattern, isOffered } = settings;
  const { hiddenBy } = tool;
  return (
    <>
      <div className={classes.head}>
        <Checkbox
          label={<ForeignText text={settings.name ?? original} />}
          description={
            <>
              <ToolWords tool={tool} operation={pattern === original ? undefined : pattern} />
              {hiddenBy !== undefined && <ForeignText text={`Hidden by ${hiddenBy}; change that in the text.`} />}
            </>
          }
          checked={isOffered}
          disabled={hiddenBy !== undefined}
          onChange={(event) => onChange({ ...settings, isOffered: event.currentTarget.checked })}
        />
        <Button
          className={classes.fixed}
          size="xs"
          variant="default"
          disabled={!isOffered}
          aria-expanded={isOpen}
          aria-controls={fieldsId}
          aria-label={`Settings of ${visibleText(settings.name ?? original)}`}
          onClick={() => setOpen(!isOpen)}
        >
          Settings
        </Button>
      </div>
      <div id={fieldsId} hidden={!isOpen || !isOffered}>
        {isOpen && isOffered && <ToolFields {...{ tool, settings, isRestApi, hasTokens, onChange }} />}
      </div>
    </>
  );
}

function ToolFields({ tool, settings, isRestApi, hasTokens, onChange }: ToolSettingsRowProps) {
  const { original, name, description, scopes, tokenLifetime, tokenScopes } = settings;
  const set = (change: Partial<ToolSettings>) => onChange({ ...settings, ...change });
  const { scopesOfPattern } = tool;
  const otherwise =
    scopesOfPattern === undefined
      ? "With spaces between. Empty: none."
      : `With spaces between. Empty: as ${visibleText(scopesOfPattern.name)} says, ${scopesOfPattern.scopes.join(" ") || "none"}.`;
  return (
    <div className={classes.fields}>
      {isRestApi && (
        <>
          <TextInput
            label="Name"
            description={`Without what stands in front. Empty: ${visibleText(original)}.`}
            value={name ?? ""}
            onChange={(event) => set({ name: textOf(event.currentTarget.value) })}
            autoComplete="off"
          />
          <Textarea
            label="Description"
            description="What agents read. Empty: that of the document."
            autosize
            maxRows={6}
            value={description ?? ""}
            onChange={(event) => set({ description: textOf(event.currentTarget.value) })}
          />
        </>
      )}
      <ListInput
        label="Scopes that callers need"
        description={otherwise}
        value={scopes}
        onChange={(next) => set({ scopes: next })}
      />
      {hasTokens && (
        <>
          <TextInput
            label="Lifetime of the token"
            description="Such as 30s. Empty: as an entry for several tools says, else 60s."
            value={tokenLifetime ?? ""}
            onChange={(event) => set({ tokenLifetime: textOf(event.currentTarget.value) })}
            autoComplete="off"
          />
          <ListInput
            label="Scopes of the token"
            description="With spaces between. Empty: as an entry for several tools says, else none."
            value={tokenScopes}
            onChange={(next) => set({ tokenScopes: next })}
          />
        </>
      )}
    </div>
  );
}

function textOf(value: string): string | undefined {
  return value.trim() === "" ? undefined : value;
}

interface ListInputProps {
  readonly label: string;
  readonly description: string;
  readonly value: readonly string[] | undefined;
  readonly onChange: (value: readonly string[] | undefined) => void;
}

/** Texts with spaces between; what is typed stays as it is typed. */
function ListInput({ label, description, value, onChange }: ListInputProps) {
  const [typed, setTyped] = useState(value?.join(" ") ?? "");
  return (
    <TextInput
      label={label}
      description={description}
      value={typed}
      onChange={(event) => {
        const { value: next } = event.currentTarget;
        setTyped(next);
        onChange(next.trim() === "" ? undefined : next.trim().split(/\s+/));
      }}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
