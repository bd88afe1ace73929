import { Loader, SegmentedControl } from "@mantine/core";
import type { Overview } from "../../../lib/management/schemas/overview.ts";
import { useRead } from "../../api/use-read.ts";
import { DataState } from "../../parts/data-state.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { useSession } from "../../session/context.ts";
import { InstanceTiles } from "./instance-tiles.tsx";
import { LatestRefusals } from "./latest-refusals.tsx";
import { NextSteps } from "./next-steps.tsx";
import classes from "./overview-page.module.css";
import { PeriodCharts } from "./period-charts.tsx";
import { RANGE_CHOICES, textsOf, useRange } from "./ranges.ts";
import { ToolPanels } from "./tool-panels.tsx";
import { UpstreamsPanel } from "./upstreams-panel.tsx";

/** How the instance does, what happened lately, and on a new one what to do next. */
export function OverviewPage() {
  const { isOwner, instance } = useSession();
  const [range, choose] = useRange();
  const overview = useRead<Overview>("/overview", {
    query: { range: range === "1h" ? undefined : range },
    refetchInterval: textsOf(range).refresh,
    keepsPrevious: true,
  });
  return (
    <PageFrame
      title="Overview"
      description="The state of this region's instance, and what your organization's agents did."
      actions={
        <>
          {overview.isPlaceholderData && (
            <Loader size="xs" className={classes.loading} role="status" aria-label="Loading" />
          )}
          <SegmentedControl aria-label="Time" data={[...RANGE_CHOICES]} value={range} onChange={choose} />
        </>
      }
    >
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
            <PeriodCharts period={data.period} />
            <ToolPanels period={data.period} />
            <UpstreamsPanel period={data.period} />
            <LatestRefusals events={data.latestRefusals} />
          </div>
        )}
      </DataState>
    </PageFrame>
  );
}
