import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";

export function AuditPage() {
  return (
    <PageFrame title="Audit log" description="What happened, and who did it.">
      <Panel title="Audit log" />
    </PageFrame>
  );
}
