import { Button, SegmentedControl, Textarea } from "@mantine/core";
import { useState } from "react";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import type { ToolDetails, Trial } from "../../../lib/management/schemas/tools.ts";
import { useApi } from "../../api/context.ts";
import { path } from "../../api/request.ts";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { useSession } from "../../session/context.ts";
import { CallerChoice, CallerName, type ChosenCaller, keyOfCaller, trialBody, useCaller } from "./caller-choice.tsx";
import { DecisionView, EffectNote } from "./decision-view.tsx";
import { collect, collectText, type Draft, draftOf, type Mistakes } from "./form-values.ts";
import { type Called, callTool } from "./gateway-client.ts";
import { ResultView } from "./result-view.tsx";
import { kindOf, type Schema } from "./schema.ts";
import { SchemaForm } from "./schema-form.tsx";
import { trialObstacle } from "./trial-gate.tsx";
import classes from "./try.module.css";
import { type Explained, useExplanation } from "./use-explanation.ts";

export interface TryPanelProps {
  readonly tool: CallableTool;
  readonly instance: Instance;
  /** As whom the schema was read; undefined: it is the same for everybody, and who calls is chosen here. */
  readonly caller?: ChosenCaller;
}

/** A tool of which it is known what it takes. */
export interface CallableTool extends ToolDetails {
  readonly inputSchema: Schema;
}

/** Calls the tool as an agent does, after it was told what would be decided. */
export default function TryPanel(props: TryPanelProps) {
  const obstacle = trialObstacle(props.instance);
  if (obstacle !== undefined) return <Panel title="Try it">{obstacle}</Panel>;
  return (
    <Panel
      title="Try it"
      description="A real call by MCP, with a token that lives five minutes and stays in this page. It is recorded under your name as a trial."
    >
      <Trying {...props} />
    </Panel>
  );
}

/** What is going to be called, as it was checked. */
interface Checked {
  readonly trial: Trial;
  readonly args: Readonly<Record<string, unknown>>;
  readonly tried: Explained | undefined;
  /** Whose trial it is. */
  readonly of: string;
}

function Trying({ tool, caller: given }: Pick<TryPanelProps, "tool" | "caller">) {
  const api = useApi();
  const { isOwner } = useSession();
  const explain = useExplanation(isOwner);
  const schema = tool.inputSchema;
  const hasFields = kindOf(schema).kind === "object";
  const choosing = useCaller();
  const caller = given ?? choosing.caller;
  const callerKey = caller && keyOfCaller(caller);
  const [mode, setMode] = useState<"form" | "json">("form");
  const [draft, setDraft] = useState<Draft>({});
  const [text, setText] = useState("{}");
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const [busy, setBusy] = useState<"checking" | "calling">();
  const [failed, setFailed] = useState<{ readonly error: unknown; readonly of: string | undefined }>();
  const [checked, setChecked] = useState<Checked>();
  const [called, setCalled] = useState<Called>();
  const collected = () => (mode === "form" ? collect(draft, schema) : collectText(text, schema));
  /** What was checked is not what would be called any more. */
  const forget = () => {
    setChecked(undefined);
    setCalled(undefined);
  };
  /** Of another caller it says nothing. */
  const isChecked = checked?.of === callerKey && checked !== undefined;
  const changeMode = (next: string) => {
    const { value } = collected();
    if (next === "json") setText(JSON.stringify(value ?? {}, null, 2));
    else setDraft(draftOf(value, schema, schema));
    setMode(next === "json" ? "json" : "form");
    setMistakes({});
    forget();
  };
  const check = async () => {
    if (caller === undefined) return;
    forget();
    setFailed(undefined);
    const { value, mistakes: found } = collected();
    setMistakes(found);
    if (Object.keys(found).length > 0) return;
    setBusy("checking");
    try {
      const args = (value ?? {}) as Checked["args"];
      const body = trialBody(caller);
      const { body: trial } = await api.send<Trial>({ method: "POST", path: path`/tools/${tool.name}/trials`, body });
      const tried = await explain({ claims: trial.claims, tool: tool.name, args });
      setChecked({ trial, args, tried, of: keyOfCaller(caller) });
    } catch (error) {
      setFailed({ error, of: keyOfCaller(caller) });
    } finally {
      setBusy(undefined);
    }
  };
  const call = async ({ trial, args }: Checked) => {
    setBusy("calling");
    setCalled(await callTool(trial, tool.name, args));
    setBusy(undefined);
  };
  return (
    <div className={classes.parts}>
      <form
        className={classes.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        {given === undefined ? (
          <CallerChoice choosing={choosing} />
        ) : (
          <p className={classes.quiet}>
            You call as <CallerName caller={given} />, as whom the list was read.
          </p>
        )}
        {hasFields && (
          <SegmentedControl
            aria-label="How arguments are written"
            value={mode}
            onChange={changeMode}
            data={[
              { value: "form", label: "Form" },
              { value: "json", label: "JSON" },
            ]}
          />
        )}
        {mode === "form" && hasFields ? (
          <SchemaForm
            root={schema}
            draft={draft}
            mistakes={mistakes}
            onChange={(next) => {
              setDraft(next);
              forget();
            }}
          />
        ) : (
          <Textarea
            label="Arguments"
            description="One JSON object."
            value={text}
            rows={8}
            spellCheck={false}
            classNames={{ input: classes.code }}
            error={
              Object.entries(mistakes)
                .map(([at, words]) => (at === "" ? words : `${at}: ${words}`))
                .join(" ") || undefined
            }
            onChange={(event) => {
              setText(event.currentTarget.value);
              forget();
            }}
          />
        )}
        <Unplaced mistakes={mode === "form" && hasFields ? mistakes : {}} />
        <div className={classes.row}>
          <Button
            type="submit"
            variant={isChecked ? "default" : "filled"}
            loading={busy === "checking"}
            disabled={caller === undefined}
          >
            Check
          </Button>
        </div>
      </form>
      {failed?.of === callerKey && <ProblemNote error={failed?.error} title="It cannot be tried" />}
      {isChecked && (
        <>
          <DecisionView tool={tool} trial={checked.trial} tried={checked.tried} />
          <div className={classes.row}>
            <Button onClick={() => void call(checked)} loading={busy === "calling"}>
              Call
            </Button>
            <EffectNote annotations={tool.annotations} />
          </div>
        </>
      )}
      {isChecked && called !== undefined && <ResultView called={called} tool={tool.name} />}
    </div>
  );
}

/** What is wrong with all arguments together. */
function Unplaced({ mistakes }: { readonly mistakes: Mistakes }) {
  const whole = mistakes[""];
  const count = Object.keys(mistakes).length;
  return (
    <p role="status" className={classes.mistake}>
      {whole ?? (count > 0 ? `${count === 1 ? "One argument is" : `${count} arguments are`} not right yet.` : "")}
    </p>
  );
}
