import { Button, SegmentedControl, Textarea } from "@mantine/core";
import { useState } from "react";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import type { ToolDetails, Trial } from "../../../lib/management/schemas/tools.ts";
import { useApi } from "../../api/context.ts";
import { path } from "../../api/request.ts";
import type { Caller, Tried } from "../../configuration-trial/protocol.ts";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { useSession } from "../../session/context.ts";
import { ClientFields } from "../configuration-trial/caller-fields.tsx";
import { type Called, callTool } from "./call-tool.ts";
import { DecisionView, EffectNote } from "./decision-view.tsx";
import { collect, collectText, type Draft, draftOf, type Mistakes } from "./form-values.ts";
import { ResultView } from "./result-view.tsx";
import { kindOf } from "./schema.ts";
import { SchemaForm } from "./schema-form.tsx";
import classes from "./try.module.css";
import { useExplanation } from "./use-explanation.ts";

export interface TryPanelProps {
  readonly tool: ToolDetails;
  readonly instance: Instance;
}

/** Calls the tool as an agent does, after it was told what would be decided. */
export default function TryPanel(props: TryPanelProps) {
  const { trialURL } = props.instance;
  if (trialURL === undefined) {
    return (
      <Panel title="Try it">
        <Note title="Tools cannot be tried at this instance">
          Either <code>console.playground</code> is off, or the gateway takes no tokens of this instance over Streamable
          HTTP.
        </Note>
      </Panel>
    );
  }
  const { origin } = new URL(trialURL);
  if (origin !== location.origin) {
    return (
      <Panel title="Try it">
        <Note title="Tools cannot be tried from this address">
          The gateway is at <code>{origin}</code>, and pages of the Console speak with their own origin alone.
        </Note>
      </Panel>
    );
  }
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
  readonly tried: Tried | undefined;
}

function Trying({ tool, instance }: TryPanelProps) {
  const api = useApi();
  const { isOwner } = useSession();
  const explain = useExplanation(isOwner && instance.isFirstOrganization);
  const schema = tool.inputSchema;
  const hasFields = kindOf(schema).kind === "object";
  const [who, setWho] = useState<"me" | "client">("me");
  const [caller, setCaller] = useState<Caller>();
  const [mode, setMode] = useState<"form" | "json">("form");
  const [draft, setDraft] = useState<Draft>({});
  const [text, setText] = useState("{}");
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const [busy, setBusy] = useState<"checking" | "calling">();
  const [failed, setFailed] = useState<unknown>();
  const [checked, setChecked] = useState<Checked>();
  const [called, setCalled] = useState<Called>();
  const collected = () => (mode === "form" ? collect(draft, schema) : collectText(text, schema));
  /** What was checked is not what would be called any more. */
  const forget = () => {
    setChecked(undefined);
    setCalled(undefined);
  };
  const changeMode = (next: string) => {
    const { value } = collected();
    if (next === "json") setText(JSON.stringify(value ?? {}, null, 2));
    else setDraft(draftOf(value, schema, schema));
    setMode(next === "json" ? "json" : "form");
    setMistakes({});
    forget();
  };
  const check = async () => {
    forget();
    setFailed(undefined);
    const { value, mistakes: found } = collected();
    setMistakes(found);
    if (Object.keys(found).length > 0) return;
    setBusy("checking");
    try {
      const args = (value ?? {}) as Checked["args"];
      const body = who === "client" && caller?.kind === "client" ? { clientId: caller.client.clientId } : {};
      const { body: trial } = await api.send<Trial>({ method: "POST", path: path`/tools/${tool.name}/trials`, body });
      setChecked({ trial, args, tried: await explain({ claims: trial.claims, tool: tool.name, args }) });
    } catch (error) {
      setFailed(error);
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
        {isOwner && (
          <SegmentedControl
            aria-label="Who calls"
            value={who}
            onChange={(next) => {
              setWho(next === "client" ? "client" : "me");
              forget();
            }}
            data={[
              { value: "me", label: "As yourself" },
              { value: "client", label: "As an API client" },
            ]}
          />
        )}
        {who === "client" && <ClientFields onChange={setCaller} error={undefined} />}
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
          <Button type="submit" variant={checked === undefined ? "filled" : "default"} loading={busy === "checking"}>
            Check
          </Button>
        </div>
      </form>
      <ProblemNote error={failed} title="It cannot be tried" />
      {checked !== undefined && (
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
      {called !== undefined && <ResultView called={called} tool={tool.name} />}
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
