import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import { AppliedNote } from "./applied-note.tsx";
import { LastChange } from "./last-change.tsx";
import { Origin, Value } from "./origin-line.tsx";
import { ABOUT, GROUPS } from "./settings.ts";
import classes from "./settings-facts.module.css";

/** The settings to read, for members. */
export function SettingsFacts({ body }: { readonly body: GatewaySettings }) {
  return (
    <>
      <Note>Owners of this organization change these settings. You can read them.</Note>
      <AppliedNote latest={body} isSaved={false} />
      {GROUPS.map(({ title, names }) => (
        <Panel key={title} title={title} flush>
          <dl>
            {names.map((name) => (
              <div key={name} className={classes.setting}>
                <dt>
                  <span className={classes.label}>{ABOUT[name].label}</span>
                  <span className={classes.words}>{ABOUT[name].words}</span>
                </dt>
                <dd>
                  <span className={classes.value}>
                    <Value value={body.settings[name].value} />
                  </span>
                  <span className={classes.words}>
                    <Origin name={name} settings={body.settings} />
                  </span>
                </dd>
              </div>
            ))}
          </dl>
        </Panel>
      ))}
      <LastChange latest={body} />
    </>
  );
}
