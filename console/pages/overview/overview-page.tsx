import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";

export function OverviewPage() {
  return (
    <PageFrame title="Overview" description="How this region's instance is doing.">
      <Panel title="Overview" />
    </PageFrame>
  );
}
