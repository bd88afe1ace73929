import { Button, Checkbox } from "@mantine/core";
import type { ToolFacts } from "../../configuration-check/protocol.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import classes from "./forms.module.css";
import { ToolRows, ToolWords } from "./tool-rows.tsx";

export interface ChoiceTool extends ToolFacts {
  readonly name: string;
  /** `GET /books`. */
  readonly operation?: string;
}

export interface ToolChoiceProps {
  readonly tools: readonly ChoiceTool[];
  /** Names of those that are not offered. */
  readonly off: ReadonlySet<string>;
  readonly onChange: (off: ReadonlySet<string>) => void;
}

/** Which tools agents get. */
export function ToolChoice({ tools, off, onChange }: ToolChoiceProps) {
  const set = (name: string, isOn: boolean) => {
    const next = new Set(off);
    if (isOn) next.delete(name);
    else next.add(name);
    onChange(next);
  };
  return (
    <fieldset className={classes.group}>
      <legend className={classes.legend}>
        Tools, {tools.length - off.size} of {tools.length}
      </legend>
      <div className={classes.buttons}>
        <Button size="xs" variant="default" onClick={() => onChange(new Set())}>
          All tools
        </Button>
        <Button size="xs" variant="default" onClick={() => onChange(new Set(tools.map(({ name }) => name)))}>
          No tool
        </Button>
      </div>
      <ToolRows
        label="Tools"
        tools={tools}
        nameOf={({ name }) => name}
        wordsOf={({ name, operation = "", title = "" }) => `${name} ${operation} ${title}`}
        row={(tool) => (
          <Checkbox
            label={<ForeignText text={tool.name} />}
            description={<ToolWords tool={tool} operation={tool.operation} />}
            checked={!off.has(tool.name)}
            onChange={(event) => set(tool.name, event.currentTarget.checked)}
          />
        )}
      />
    </fieldset>
  );
}

/** The shorter way to say it: those that are offered, or those that are not. */
export function listsOf(all: readonly string[], off: ReadonlySet<string>) {
  const [include, exclude] = [all.filter((name) => !off.has(name)), all.filter((name) => off.has(name))];
  if (exclude.length === 0) return {};
  return include.length < exclude.length ? { include } : { exclude };
}
