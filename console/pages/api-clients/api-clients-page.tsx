import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";

export function ApiClientsPage() {
  return (
    <PageFrame title="API clients" description="Programs and agents that get tokens with key pairs of their own.">
      <Panel title="API clients" />
    </PageFrame>
  );
}
