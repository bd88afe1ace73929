import type { ReactNode } from "react";
import type { Deployment, PublicationList } from "../../../lib/management/schemas/deployment.ts";
import { useRead } from "../../api/use-read.ts";
import { PublishIcon } from "../../icons.tsx";
import { DataState, SkeletonLines } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import { Editing } from "./editing.tsx";
import { ABOUT, BACK, TITLE } from "./page-texts.ts";
import { useChecker } from "./use-checker.ts";
import { useStart } from "./use-start.ts";

/** Where owners of the first organization write the next configuration, with the checks of `countersign validate`. */
export function ConfigurationEditorPage() {
  const { instance, isOwner } = useSession();
  const isAllowed = isOwner && instance?.isFirstOrganization !== false;
  const { checker, state } = useChecker();
  const deployment = useRead<Deployment>("/deployment", { enabled: isAllowed });
  const publications = useRead<PublicationList>("/deployment/revisions", { enabled: isAllowed });
  const start = useStart(checker, isAllowed && deployment.data !== undefined);
  if (!isAllowed || deployment.error?.status === 403)
    return <Nothing title="Owners of the first organization edit it" />;
  if (deployment.error?.status === 404) {
    return <Nothing title="This instance follows no published configuration">{NOT_FOLLOWED}</Nothing>;
  }
  const { data: read } = deployment;
  if (read !== undefined && start.data !== undefined) {
    const latest = publications.data?.body.items[0]?.revision ?? 0;
    return (
      <Editing
        checker={checker}
        checks={state}
        start={start.data}
        deployment={read.body}
        nextRevision={Math.max(read.body.highest, latest) + 1}
        onAnotherStart={() => start.refetch().then(({ data, isError }) => (isError ? undefined : data))}
      />
    );
  }
  return (
    <PageFrame title={TITLE} description={ABOUT} back={BACK}>
      <DataState
        data={undefined}
        error={deployment.error ?? start.error}
        refetch={() => void (deployment.error ? deployment.refetch() : start.refetch())}
        problemTitle="The configuration could not be read"
        skeleton={
          <Panel>
            <SkeletonLines lines={12} />
          </Panel>
        }
      >
        {() => undefined}
      </DataState>
    </PageFrame>
  );
}

const NOT_FOLLOWED = (
  <>
    It uses the configuration that it was started with: an API or an MCP server is an app in that file, and there after
    a restart. To change it here, start it with SVC_CONFIG_SOURCE=store:, SVC_CONFIG_SIGNING=service and
    SVC_CONFIG_DEPLOYMENT, a name of your choice, in its environment.
  </>
);

function Nothing({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <PageFrame title={TITLE} description={ABOUT} back={BACK}>
      <Panel>
        <EmptyState icon={<PublishIcon size={20} />} title={title}>
          {children}
        </EmptyState>
      </Panel>
    </PageFrame>
  );
}
