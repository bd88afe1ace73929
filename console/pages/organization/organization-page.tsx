import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";

export function OrganizationPage() {
  return (
    <PageFrame title="Organization" description="Who belongs to it, and who may change things.">
      <Panel title="Organization" />
    </PageFrame>
  );
}
