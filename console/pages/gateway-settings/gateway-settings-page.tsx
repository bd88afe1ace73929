import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";

export function GatewaySettingsPage() {
  return (
    <PageFrame title="Gateway settings" description="How agents reach this instance's gateway.">
      <Panel title="Gateway settings" />
    </PageFrame>
  );
}
