import type { KeyPair, RevokedKeyPair } from "../../../lib/management/schemas/key-pairs.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { LastUsed } from "./last-used.tsx";

export interface RevokeKeyPairProps {
  readonly clientId: string;
  /** The one in question; the dialog is closed without. */
  readonly keyPair: KeyPair | undefined;
  /** No other one is active. */
  readonly isLast: boolean;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

/** Asks, and revokes for good. */
export function RevokeKeyPair({ clientId, keyPair, isLast, onRevoked, onClose }: RevokeKeyPairProps) {
  const announce = useAnnounce();
  const revoke = useSend<RevokedKeyPair, KeyPair>(
    ({ keyPairId }) => ({ method: "POST", path: path`/api-clients/${clientId}/key-pairs/${keyPairId}/revoke` }),
    {
      refreshes: ["/api-clients"],
      onDone: () => {
        announce("Key pair revoked");
        onRevoked();
        onClose();
      },
    },
  );
  const close = () => {
    revoke.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      opened={keyPair !== undefined}
      title="Revoke this key pair?"
      confirmLabel="Revoke key pair"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => keyPair !== undefined && revoke.mutate(keyPair)}
      onClose={close}
    >
      {keyPair !== undefined && <Consequences keyPair={keyPair} isLast={isLast} />}
    </ConfirmDialog>
  );
}

function Consequences({ keyPair, isLast }: { readonly keyPair: KeyPair; readonly isLast: boolean }) {
  return (
    <>
      <p>
        <code>{keyPair.fingerprint}</code>
        <br />
        Last used: <LastUsed hour={keyPair.lastUsedAt} />
      </p>
      <ul>
        <li>From the next request on, nobody gets a token with this key. This cannot be undone.</li>
        <li>Tokens issued before stay valid until they expire.</li>
        <li>
          {isLast
            ? "It is the only active key pair: the client gets no token until another one is added."
            : "The client's other key pairs are not affected."}
        </li>
      </ul>
    </>
  );
}
