import { Button } from "@mantine/core";
import { useState } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { KeyPair } from "../../../lib/management/schemas/key-pairs.ts";
import { KeyIcon, PlusIcon, RefreshIcon } from "../../icons.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import { AddKeyPair } from "./add-key-pair.tsx";
import { KeyPairTable } from "./key-pair-table.tsx";
import { activeOf } from "./key-pairs.ts";
import { RevokeKeyPair } from "./revoke-key-pair.tsx";
import { RotateGuide } from "./rotate-guide.tsx";

/** The client's key pairs, and what an owner does with them. */
export function KeyPairs({ client }: { readonly client: ApiClient }) {
  const { isOwner } = useSession();
  const [isAdding, setAdding] = useState(false);
  const [isRotating, setRotating] = useState(false);
  const [revoking, setRevoking] = useState<KeyPair>();
  const hasActive = activeOf(client.keyPairs).length > 0;
  const add = () => setAdding(true);
  return (
    <>
      <Panel
        title="Key pairs"
        description="The client signs in with a private key, which it alone has. Countersign keeps the public one."
        flush
        actions={
          isOwner &&
          hasActive && (
            <>
              <Button
                variant="default"
                leftSection={<RefreshIcon size={14} />}
                aria-expanded={isRotating}
                onClick={() => setRotating(!isRotating)}
              >
                Rotate
              </Button>
              <AddButton isPrimary={false} onClick={add} />
            </>
          )
        }
      >
        {isRotating && <RotateGuide client={client} onAdd={add} onRevoke={setRevoking} />}
        {client.keyPairs.length > 0 && (
          <KeyPairTable keyPairs={client.keyPairs} onRevoke={isOwner ? setRevoking : undefined} />
        )}
        {!hasActive && <NoneActive onAdd={add} />}
      </Panel>
      <OwnersOnly>
        <AddKeyPair client={client} opened={isAdding} onClose={() => setAdding(false)} />
        <RevokeKeyPair
          clientId={client.clientId}
          keyPair={revoking}
          isLast={activeOf(client.keyPairs).length === 1}
          onRevoked={() => setRotating(isRotating && activeOf(client.keyPairs).length > 2)}
          onClose={() => setRevoking(undefined)}
        />
      </OwnersOnly>
    </>
  );
}

function NoneActive({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <EmptyState
      icon={<KeyIcon size={20} />}
      title="No active key pair"
      action={
        <OwnersOnly>
          <AddButton isPrimary onClick={onAdd} />
        </OwnersOnly>
      }
    >
      The client gets no token without one.{" "}
      <OwnersOnly instead="An owner of this organization adds it.">
        Generate one here and download its private key, or register the public key of your own.
      </OwnersOnly>
    </EmptyState>
  );
}

function AddButton({ isPrimary, onClick }: { readonly isPrimary: boolean; readonly onClick: () => void }) {
  return (
    <Button variant={isPrimary ? "filled" : "default"} leftSection={<PlusIcon size={14} />} onClick={onClick}>
      Add key pair
    </Button>
  );
}
