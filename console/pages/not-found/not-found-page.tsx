import { EmptyState } from "../../parts/empty-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";

export function NotFoundPage() {
  return (
    <PageFrame title="Page not found">
      <Panel>
        <EmptyState
          title="There is no page at this address"
          action={<LinkButton href="/">Go to the overview</LinkButton>}
        >
          The link may be old, or a part of it may be missing.
        </EmptyState>
      </Panel>
    </PageFrame>
  );
}
