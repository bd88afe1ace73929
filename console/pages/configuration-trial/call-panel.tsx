import { Button, Loader, Textarea, TextInput } from "@mantine/core";
import { useId, useRef, useState } from "react";
import type { Both, Caller, Tried, Variables } from "../../configuration-trial/protocol.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { useSession } from "../../session/context.ts";
import { CallerFields } from "./caller-fields.tsx";
import { ExplanationView } from "./explanation-view.tsx";
import classes from "./trial.module.css";
import type { StartedTrial } from "./use-trial.ts";

export interface CallPanelProps {
  readonly started: StartedTrial;
  readonly variables: Variables;
}

/** Asks what would be decided on one call, with the draft and with what is in use. */
export function CallPanel({ started: { trial, about, inUse }, variables }: CallPanelProps) {
  const { instance } = useSession();
  const toolsId = useId();
  const [caller, setCaller] = useState<Caller>();
  const [tool, setTool] = useState(about.tools[0] ?? "");
  const [given, setGiven] = useState("{}");
  const [isAsking, setAsking] = useState(false);
  const [tried, setTried] = useState<Both<Tried>>();
  const [failed, setFailed] = useState<unknown>();
  const [missing, setMissing] = useState<string>();
  const isStopped = useRef(false);
  const stop = () => {
    isStopped.current = true;
    trial.stop();
  };
  const explain = async () => {
    const lack = lackOf(caller, tool);
    setMissing(lack);
    if (caller === undefined || lack !== undefined) return;
    isStopped.current = false;
    setAsking(true);
    setFailed(undefined);
    try {
      const call = { caller, tool: tool.trim(), arguments: given };
      setTried(await trial.ask({ kind: "explain", call, variables }));
    } catch (error) {
      setTried(undefined);
      setFailed(isStopped.current ? undefined : error);
    } finally {
      setAsking(false);
    }
  };
  return (
    <div className={classes.parts}>
      <form
        className={classes.parts}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void explain();
        }}
      >
        <CallerFields instance={instance} onChange={setCaller} error={missing === NO_CALLER ? missing : undefined} />
        <TextInput
          label="Tool"
          description={toolHint(about)}
          value={tool}
          onChange={(event) => setTool(event.currentTarget.value)}
          list={toolsId}
          error={missing === NO_TOOL ? missing : undefined}
          autoComplete="off"
          spellCheck={false}
        />
        <datalist id={toolsId}>
          {about.tools.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Textarea
          label="Arguments"
          description="One JSON object, as the agent writes it."
          value={given}
          onChange={(event) => setGiven(event.currentTarget.value)}
          rows={3}
          spellCheck={false}
          classNames={{ input: classes.code }}
        />
        {isAsking ? (
          <div className={classes.progress}>
            <Loader size={14} aria-hidden="true" />
            <span role="status">Explaining …</span>
            <Button variant="default" size="xs" onClick={stop}>
              Stop
            </Button>
          </div>
        ) : (
          <div>
            <Button type="submit">Explain</Button>
          </div>
        )}
      </form>
      <ProblemNote error={failed} title="It could not be explained" />
      {tried !== undefined && <ExplanationView tried={tried} isCompared={inUse === "there"} />}
    </div>
  );
}

const NO_CALLER = "Choose who calls.";
const NO_TOOL = "Name a tool.";

function lackOf(caller: Caller | undefined, tool: string): string | undefined {
  if (caller === undefined) return NO_CALLER;
  return tool.trim() === "" ? NO_TOOL : undefined;
}

function toolHint({ tools, servers }: StartedTrial["about"]): string {
  const known = `As agents see it. The draft has ${tools.length.toLocaleString("en-US")}.`;
  return servers.length === 0 ? known : `${known} Tools of MCP servers (${servers.join(", ")}) can be typed.`;
}
