import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";

export function ApiClientPage({ clientId }: { readonly clientId: string }) {
  return (
    <PageFrame title="API client" back={{ href: "/api-clients", label: "API clients" }}>
      <Panel title={clientId} />
    </PageFrame>
  );
}
