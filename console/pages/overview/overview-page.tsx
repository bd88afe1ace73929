import type { Overview } from "../../../lib/management/schemas/overview.ts";
import { useRead } from "../../api/use-read.ts";
import { DataState } from "../../parts/data-state.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { useSession } from "../../session/context.ts";
import { InstanceTiles } from "./instance-tiles.tsx";
import { LastHourCharts } from "./last-hour-charts.tsx";
import { LatestRefusals } from "./latest-refusals.tsx";
import { NextSteps } from "./next-steps.tsx";
import classes from "./overview-page.module.css";

/** Milliseconds between two looks while somebody watches. */
const REFRESH = 15_000;

/** How the instance does, what happened lately, and on a new one what to do next. */
export function OverviewPage() {
  const { isOwner, instance } = useSession();
  const overview = useRead<Overview>("/overview", { refetchInterval: REFRESH });
  return (
    <PageFrame title="Overview" description="The state of this region's instance, and your organization's last hour.">
      <DataState
        data={overview.data?.body}
        error={overview.error}
        refetch={() => void overview.refetch()}
        problemTitle="The overview could not be read"
      >
        {(data) => (
          <div className={classes.parts}>
            <NextSteps
              steps={data.steps}
              isOwner={isOwner}
              isFirstOrganization={instance?.isFirstOrganization ?? true}
            />
            <InstanceTiles overview={data} />
            <LastHourCharts lastHour={data.period} />
            <LatestRefusals events={data.latestRefusals} />
          </div>
        )}
      </DataState>
    </PageFrame>
  );
}
