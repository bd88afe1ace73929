import { Tabs, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Checker } from "../../configuration-check/checker.ts";
import type { Variables } from "../../configuration-trial/protocol.ts";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { visibleText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { AccessPanel } from "./access-panel.tsx";
import { CallPanel } from "./call-panel.tsx";
import classes from "./trial.module.css";
import { type StartedTrial, useTrial } from "./use-trial.ts";

/** What the dialog shows once it is loaded. */
export default function TrialPanels({ checker }: { readonly checker: Checker }) {
  const { started, failed } = useTrial(checker);
  if (failed !== undefined) return <ProblemNote error={failed} title="The draft cannot be tried" />;
  return started === undefined ? <SkeletonLines lines={6} /> : <Panels started={started} />;
}

function Panels({ started }: { readonly started: StartedTrial }) {
  const [variables, setVariables] = useState<Variables>({});
  const { about, inUse } = started;
  return (
    <div className={classes.parts}>
      {inUse !== "there" && (
        <Note tone="warn" title={inUse === "none" ? "What is in use is not known" : "What is in use is too large"}>
          {inUse === "none"
            ? "The instance shows no document. The draft is tried alone."
            : "Its tools are more than 4 MB, which are not sent. The draft is tried alone."}
        </Note>
      )}
      {about.variables.length > 0 && (
        <fieldset className={classes.variables}>
          <legend>Variables</legend>
          <p className={classes.quiet}>Instances have their values, your browser has not. These decide something.</p>
          <div className={classes.fields}>
            {about.variables.map((name) => (
              <TextInput
                key={name}
                label={visibleText(name)}
                value={variables[name] ?? ""}
                onChange={({ currentTarget: { value } }) => setVariables((all) => withValue(all, name, value))}
                autoComplete="off"
                spellCheck={false}
              />
            ))}
          </div>
        </fieldset>
      )}
      <Tabs defaultValue="call" keepMounted>
        <Tabs.List aria-label="What to try">
          <Tabs.Tab value="call">Explain a call</Tabs.Tab>
          <Tabs.Tab value="access">Compare access</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="call" className={classes.panel}>
          <CallPanel started={started} variables={variables} />
        </Tabs.Panel>
        <Tabs.Panel value="access" className={classes.panel}>
          <AccessPanel started={started} variables={variables} />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

/** Without those that are empty: a variable that is not set. */
function withValue(all: Variables, name: string, value: string): Variables {
  const { [name]: _, ...others } = all;
  return value === "" ? others : { ...others, [name]: value };
}
