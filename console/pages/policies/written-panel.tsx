import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import type { ToolList } from "../../../lib/management/schemas/tools.ts";
import type { Caller, TriedClient } from "../../configuration-trial/protocol.ts";
import { Facts } from "../../parts/facts.tsx";
import { visibleText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import type { Policies, PolicySource, Verdict } from "../../policy-test/protocol.ts";
import type { Tester } from "../../policy-test/tester.ts";
import { useSession } from "../../session/context.ts";
import { ClientFields } from "../configuration-trial/caller-fields.tsx";
import classes from "../configuration-trial/trial.module.css";
import { sampleInput } from "./sample-input.ts";
import { VerdictView } from "./verdict-view.tsx";

export interface WrittenPanelProps {
  readonly tester: Tester;
  readonly app: string;
  readonly tools: ToolList;
  /** Undefined: there is no policy that can be evaluated. */
  readonly policies: Policies<PolicySource> | undefined;
}

/** What both policies say of an input that the person writes. */
export function WrittenPanel({ tester, app, tools, policies }: WrittenPanelProps) {
  const { instance } = useSession();
  const items = tools.items.filter((tool) => tool.app === app);
  const [tool, setTool] = useState(items[0]?.name ?? "listThings");
  const [caller, setCaller] = useState<Caller>();
  const client = caller?.kind === "client" ? caller.client : undefined;
  const sampleOf = (who: TriedClient | undefined) =>
    sampleInput({ app, tool: items.find(({ name }) => name === tool), toolName: tool.trim(), client: who, instance });
  const [input, setInput] = useState(() => sampleOf(undefined));
  const [time, setTime] = useState(() => new Date().toISOString());
  const [verdicts, setVerdicts] = useState<Policies<Verdict>>();
  const [failed, setFailed] = useState<unknown>();
  const [isAsking, setAsking] = useState(false);
  // What was said of another policy, or of another input, is not true of these.
  const asked = JSON.stringify([policies, input, time]);
  useEffect(() => {
    if (asked) setVerdicts(undefined);
  }, [asked]);
  const moment = Date.parse(time);
  // Expressions know no time.
  const hasRego = policies?.inUse.language === "rego" || policies?.edited.language === "rego";
  const ask = async () => {
    if (policies === undefined) return;
    setAsking(true);
    setFailed(undefined);
    try {
      setVerdicts(await tester.ask({ kind: "try", policies, input, time: moment }));
    } catch (error) {
      setVerdicts(undefined);
      setFailed(error);
    } finally {
      setAsking(false);
    }
  };
  return (
    <Panel
      title="A written input"
      description="What the policy sees of a call. Begin with a caller and a tool, and edit."
    >
      <div className={classes.parts}>
        <form
          className={classes.parts}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void ask();
          }}
        >
          <ClientFields onChange={setCaller} error={undefined} />
          {items.length === 0 ? (
            <TextInput
              label="Tool"
              description="As its MCP server calls it, without the namespace."
              value={tool}
              onChange={(event) => setTool(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
            />
          ) : (
            <NativeSelect
              label="Tool"
              data={items.map(({ name }) => ({ value: name, label: visibleText(name) }))}
              value={tool}
              onChange={(event) => setTool(event.currentTarget.value)}
            />
          )}
          <div>
            <Button variant="default" onClick={() => setInput(sampleOf(client))}>
              Begin with these
            </Button>
          </div>
          <Textarea
            label="Input"
            description="One JSON object. Policies in Rego read it as input."
            value={input}
            onChange={(event) => setInput(event.currentTarget.value)}
            rows={16}
            spellCheck={false}
            classNames={{ input: classes.code }}
          />
          {hasRego && (
            <TextInput
              label="Time"
              description="For policies in Rego that ask for it, as 2026-03-02T10:00:00Z."
              value={time}
              onChange={(event) => setTime(event.currentTarget.value)}
              error={Number.isNaN(moment) ? "This is no time." : undefined}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <div>
            <Button type="submit" loading={isAsking} disabled={policies === undefined || Number.isNaN(moment)}>
              Evaluate
            </Button>
          </div>
        </form>
        <ProblemNote error={failed} title="It could not be evaluated" />
        <div role="status" className={classes.parts}>
          {verdicts !== undefined && policies !== undefined && (
            <Facts
              facts={[
                {
                  term: "In use",
                  value:
                    policies.inUse.language === "none" ? (
                      "No such policy: allowed"
                    ) : (
                      <VerdictView verdict={verdicts.inUse} />
                    ),
                },
                { term: "Edited", value: <VerdictView verdict={verdicts.edited} /> },
              ]}
            />
          )}
        </div>
      </div>
    </Panel>
  );
}
