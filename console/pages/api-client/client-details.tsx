import { Button } from "@mantine/core";
import { useState } from "react";
import { EditIcon } from "../../icons.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { FormDrawer } from "../api-clients/form-drawer.tsx";
import { StopButton } from "../stops/stop-button.tsx";
import { ClientFacts } from "./client-facts.tsx";
import { ClientLimits } from "./client-limits.tsx";
import { DeleteClient } from "./delete-client.tsx";
import { EditClient } from "./edit-client.tsx";
import { ForeignLines } from "./foreign-lines.tsx";
import { GetToken } from "./get-token.tsx";
import { KeyPairs } from "./key-pairs-panel.tsx";
import { LatestCalls } from "./latest-calls.tsx";
import type { ClientDetailsProps } from "./shown-client.ts";

/** An API client that was read: what it is, its key pairs, how it gets a token, and its end. */
export function ClientDetails({ client, back, refetch }: ClientDetailsProps) {
  const [isEditing, setEditing] = useState(false);
  const { name, description } = client.body;
  return (
    <PageFrame
      title={visibleText(name)}
      heading={<ForeignText text={name} />}
      description={description === "" ? undefined : <ForeignLines text={description} />}
      back={back}
      actions={
        <OwnersOnly>
          <StopButton target={{ kind: "api_client", id: client.body.clientId, name: client.body.name }} label="Stop" />
          <Button variant="default" leftSection={<EditIcon size={14} />} onClick={() => setEditing(true)}>
            Edit
          </Button>
        </OwnersOnly>
      }
    >
      <ClientFacts client={client.body} />
      <KeyPairs client={client.body} />
      <GetToken client={client.body} />
      <LatestCalls clientId={client.body.clientId} />
      <ClientLimits clientId={client.body.clientId} />
      <OwnersOnly>
        <DeleteClient client={client} refetch={refetch} />
        <FormDrawer opened={isEditing} title="Edit API client" onClose={() => setEditing(false)}>
          {(drawer) => <EditClient client={client} drawer={drawer} refetch={refetch} />}
        </FormDrawer>
      </OwnersOnly>
    </PageFrame>
  );
}
