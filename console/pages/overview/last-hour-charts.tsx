import type { Period } from "../../../lib/management/schemas/overview.ts";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import { BarChart } from "./bar-chart.tsx";
import classes from "./last-hour-charts.module.css";

/** Two charts of the last hour, side by side where there is room. */
export function LastHourCharts({ lastHour }: { readonly lastHour: Period }) {
  return (
    <>
      {!lastHour.isComplete && (
        <Note tone="info">The last hour has more events than are counted here. The oldest are not in the charts.</Note>
      )}
      <div className={classes.charts}>
        <Panel title="Tool calls">
          <BarChart
            label="Tool calls of the last hour"
            good={{ name: "Succeeded", counts: lastHour.toolCalls.map(({ succeeded }) => succeeded) }}
            bad={{ name: "Failed", counts: lastHour.toolCalls.map(({ denied, failed }) => denied + failed) }}
            starts={lastHour.toolCalls.map(({ start }) => start)}
          />
        </Panel>
        <Panel title="Token requests">
          <BarChart
            label="Token requests of the last hour"
            good={{ name: "Issued", counts: lastHour.tokenRequests.map(({ issued }) => issued) }}
            bad={{ name: "Refused", counts: lastHour.tokenRequests.map(({ refused }) => refused) }}
            starts={lastHour.tokenRequests.map(({ start }) => start)}
          />
        </Panel>
      </div>
    </>
  );
}
