import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { useFilledList } from "../../api/use-filled-list.ts";
import { PlusIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import { ClientTable } from "./client-table.tsx";
import { CreateClient } from "./create-client.tsx";
import { FormDrawer } from "./form-drawer.tsx";
import { ListBar } from "./list-bar.tsx";
import { NoClients, NoMatches } from "./no-clients.tsx";
import { ReadOn } from "./read-on.tsx";
import { useListAddress } from "./use-list-address.ts";

const SEARCH_DELAY = 250;

export function ApiClientsPage() {
  const { isOwner } = useSession();
  const { search, setSearch, sort, setSort, isCreating, setCreating } = useListAddress();
  const [searched] = useDebouncedValue(search.trim(), SEARCH_DELAY);
  const clients = useFilledList<ApiClient>("/api-clients", { query: { limit: 50, search: searched, sort } });
  const isNone = searched === "" && clients.items?.length === 0;
  return (
    <PageFrame
      title="API clients"
      term="apiClient"
      description="Programs and agents that get tokens with key pairs of their own."
      actions={
        isOwner && (
          <Button leftSection={<PlusIcon size={14} />} onClick={() => setCreating(true)}>
            New API client
          </Button>
        )
      }
    >
      {!isNone && <ListBar {...{ search, setSearch, sort, setSort }} />}
      <Panel flush>
        <DataState
          data={clients.items}
          error={clients.error}
          refetch={clients.refetch}
          problemTitle="The API clients could not be read"
          empty={searched === "" ? <NoClients /> : <NoMatches search={searched} onClear={() => setSearch("")} />}
        >
          {(items) => <ClientTable clients={items} />}
        </DataState>
        <ReadOn list={clients} isSearch={searched !== ""} isByName={sort.endsWith("name")} />
      </Panel>
      <FormDrawer opened={isCreating && isOwner} title="New API client" onClose={() => setCreating(false)}>
        {(drawer) => <CreateClient drawer={drawer} />}
      </FormDrawer>
    </PageFrame>
  );
}
