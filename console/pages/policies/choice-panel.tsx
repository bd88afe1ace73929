import { Button, NativeSelect } from "@mantine/core";
import { visibleText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import type { TestedApp } from "../../policy-test/protocol.ts";
import classes from "../configuration-trial/trial.module.css";
import type { Tested } from "./use-tester.ts";

/** Places of policies that there are not yet: no place of one is called so. */
export const NEW_CEL = "+cel";
export const NEW_REGO = "+rego";

/** The app and the policy that are tested. */
export interface Chosen {
  readonly app: string;
  /** Of a policy in use, `NEW_CEL` or `NEW_REGO`; absent: the app's first one. */
  readonly place?: string;
}

export interface ChoicePanelProps {
  readonly tested: Tested;
  readonly app: TestedApp;
  readonly place: string;
  /** Absent: there are no expressions to read. */
  readonly onReadExpressions: (() => void) | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}

/** Which policy of which app. */
export function ChoicePanel({ tested: { apps, document }, app, place, onReadExpressions, onChoose }: ChoicePanelProps) {
  const { policies } = app;
  return (
    <Panel title="What is tested">
      <div className={classes.parts}>
        <div className={classes.fields}>
          <NativeSelect
            label="App"
            data={apps.map(({ name }) => ({ value: name, label: visibleText(name) }))}
            value={app.name}
            onChange={(event) => onChoose({ app: event.currentTarget.value })}
          />
          <NativeSelect
            label="Policy"
            data={[
              ...policies.map(({ place, name, language }) => ({
                value: place,
                label: `${visibleText(name)} (${LANGUAGES[language]}, in use)`,
              })),
              { value: NEW_CEL, label: "A new expression (CEL)" },
              { value: NEW_REGO, label: "A new policy (Rego)" },
            ]}
            value={place}
            onChange={(event) => onChoose({ app: app.name, place: event.currentTarget.value })}
          />
        </div>
        {(document === "hidden" || document === "none") && (
          <p className={classes.quiet}>
            {document === "hidden"
              ? "Owners of the first organization read the whole configuration. You see expressions in use, and no Rego."
              : "The instance follows no published configuration: expressions in use are here, and no Rego."}
          </p>
        )}
        {onReadExpressions !== undefined && (
          <Note
            title="The expressions in use are not read yet"
            actions={
              <Button size="xs" variant="default" onClick={onReadExpressions}>
                Read them
              </Button>
            }
          >
            An explanation has them, for which the servers of the other policies are asked once.
          </Note>
        )}
        {app.remote.length > 0 && (
          <p className={classes.quiet}>
            Also decide, and are not evaluated here: {app.remote.map(visibleText).join(", ")}.
          </p>
        )}
      </div>
    </Panel>
  );
}

const LANGUAGES = { cel: "CEL", rego: "Rego" } as const;
