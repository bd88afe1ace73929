import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";

export function GatewayPage() {
  return (
    <PageFrame title="Gateway" description="The tools that agents find, and who uses them now.">
      <Panel title="Gateway" />
    </PageFrame>
  );
}
