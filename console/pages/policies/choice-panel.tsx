import { NativeSelect } from "@mantine/core";
import { visibleText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import classes from "../configuration-trial/trial.module.css";
import { NEW_CEL, NEW_REGO } from "./places.ts";
import type { Tested } from "./use-tester.ts";

/** The app and the policy that are tested. */
export interface Chosen {
  readonly app: string;
  /** Of a policy in use, or one of those of `places.ts`. */
  readonly place: string;
}

export interface ChoicePanelProps {
  readonly tested: Tested;
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}

/** Which policy of which app. */
export function ChoicePanel({ tested: { apps, document }, chosen, onChoose }: ChoicePanelProps) {
  const app = apps.find(({ name }) => name === chosen.app);
  const policies = app?.policies ?? [];
  return (
    <Panel title="What is tested">
      <div className={classes.parts}>
        <div className={classes.fields}>
          <NativeSelect
            label="App"
            data={apps.map(({ name }) => ({ value: name, label: visibleText(name) }))}
            value={chosen.app}
            onChange={({ currentTarget: { value } }) => {
              const [first] = apps.find(({ name }) => name === value)?.policies ?? [];
              onChoose({ app: value, place: first?.place ?? NEW_CEL });
            }}
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
            value={chosen.place}
            onChange={({ currentTarget: { value } }) => onChoose({ ...chosen, place: value })}
          />
        </div>
        {document === "hidden" && (
          <Note title="Policies in use are not shown here">
            Owners of the first organization read the configuration. Write a policy, and paste the one in use to begin
            with it: Why? shows expressions with its steps.
          </Note>
        )}
        {document === "none" && <Note title="The instance shows no configuration">Write a policy of your own.</Note>}
        {app !== undefined && app.remote.length > 0 && (
          <p className={classes.quiet}>
            Servers decide, too, and are not asked here: {app.remote.map(visibleText).join(", ")}.
          </p>
        )}
      </div>
    </Panel>
  );
}

const LANGUAGES = { cel: "CEL", rego: "Rego" } as const;
