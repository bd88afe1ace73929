import { Button } from "@mantine/core";
import { useState } from "react";
import type { Organization } from "../../../lib/management/schemas/organizations.ts";
import { path } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { EditIcon } from "../../icons.tsx";
import { CopyableId } from "../../parts/copyable-id.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";
import { useSession } from "../../session/context.ts";
import { RenameDialog } from "./rename-dialog.tsx";
import { ROLE_NAMES } from "./roles.tsx";

/** What the organization is called, by people and by machines, and where it is. */
export function OrganizationPanel() {
  const { organization, isOwner } = useSession();
  const read = useRead<Organization>(path`/organizations/${organization.organizationId}`);
  const [isRenaming, setRenaming] = useState(false);
  const rename = isOwner && read.data !== undefined && (
    <Button variant="default" size="xs" leftSection={<EditIcon size={14} />} onClick={() => setRenaming(true)}>
      Rename
    </Button>
  );
  return (
    <Panel title="Details" actions={rename || undefined}>
      <DataState
        data={read.data?.body}
        error={read.error}
        refetch={() => void read.refetch()}
        problemTitle="The organization could not be read"
      >
        {(data) => <OrganizationFacts organization={data} />}
      </DataState>
      {read.data !== undefined && (
        <RenameDialog opened={isRenaming} answer={read.data} onClose={() => setRenaming(false)} />
      )}
    </Panel>
  );
}

function OrganizationFacts({ organization }: { readonly organization: Organization }) {
  const { instance } = useSession();
  const { name, organizationId, role, createdAt } = organization;
  const facts = [
    { term: "Name", value: <ForeignText text={name} /> },
    { term: "Organization ID", value: <CopyableId id={organizationId} label="Copy organization id" /> },
    { term: "Your role", value: ROLE_NAMES[role] },
    { term: "Region", value: instance?.region && `${instance.region.toUpperCase()}, where its data stays` },
    { term: "Created", value: <Time value={createdAt} format="date" /> },
    { term: "Instance", value: instance?.isFirstOrganization ? FIRST : undefined },
  ];
  return <Facts facts={facts} />;
}

const FIRST = "Administered from here: owners change the gateway settings";
