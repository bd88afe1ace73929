import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { path } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { KeyIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ClientDetails } from "./client-details.tsx";

const BACK = { href: "/api-clients", label: "API clients" } as const;

export function ApiClientPage({ clientId }: { readonly clientId: string }) {
  const client = useRead<ApiClient>(path`/api-clients/${clientId}`);
  if (client.data !== undefined) return <ClientDetails client={client.data} back={BACK} refetch={client.refetch} />;
  return (
    <PageFrame title="API client" back={BACK}>
      <Panel>
        {client.error?.status === 404 ? (
          <Missing clientId={clientId} />
        ) : (
          <DataState
            data={undefined}
            error={client.error}
            refetch={() => void client.refetch()}
            problemTitle="The API client could not be read"
          >
            {() => null}
          </DataState>
        )}
      </Panel>
    </PageFrame>
  );
}

function Missing({ clientId }: { readonly clientId: string }) {
  return (
    <EmptyState
      icon={<KeyIcon size={20} />}
      title="There is no such API client"
      action={
        <LinkButton href="/api-clients" variant="default">
          All API clients
        </LinkButton>
      }
    >
      <code>{clientId}</code> is unknown in this organization. It may have been deleted, or belong to another one.
    </EmptyState>
  );
}
