import { useState } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { AddKeyPairForm } from "./add-key-pair-form.tsx";
import { PrivateKey } from "./private-key.tsx";
import { useGeneratedKeyPair } from "./use-generated-key-pair.ts";

export interface AddKeyPairProps {
  readonly client: ApiClient;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Adds a key pair. From the moment that a private key is in it, neither Escape nor a click beside it closes the dialog. */
export function AddKeyPair({ client, opened, onClose }: AddKeyPairProps) {
  const [isHeld, setHeld] = useState(false);
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title="Add a key pair"
      size="34rem"
      closeOnEscape={!isHeld}
      withCloseButton={!isHeld}
    >
      <Content client={client} onHold={setHeld} onClose={onClose} />
    </Dialog>
  );
}

interface ContentProps {
  readonly client: ApiClient;
  readonly onHold: (isHeld: boolean) => void;
  readonly onClose: () => void;
}

/** Its state, and with it the private key, goes with the dialog. */
function Content({ client, onHold, onClose }: ContentProps) {
  const generated = useGeneratedKeyPair(client.clientId, onHold);
  const close = () => {
    onHold(false);
    onClose();
  };
  return generated.pair === undefined ? (
    <AddKeyPairForm client={client} generated={generated} onHold={onHold} onClose={close} />
  ) : (
    <PrivateKey client={client} pair={generated.pair} onClose={close} />
  );
}
