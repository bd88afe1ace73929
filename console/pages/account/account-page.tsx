import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";

export function AccountPage() {
  return (
    <PageFrame title="Account" description="How you sign in, and where you are signed in.">
      <Panel title="Account" />
    </PageFrame>
  );
}
