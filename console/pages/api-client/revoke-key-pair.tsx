import { Checkbox } from "@mantine/core";
import { useState } from "react";
import type { KeyPair, RevokedKeyPair } from "../../../lib/management/schemas/key-pairs.ts";
import type { StopChange } from "../../../lib/management/schemas/stops.ts";
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
  const [endsTokens, setEndsTokens] = useState(false);
  const finish = (said: string) => {
    announce(said);
    onRevoked();
    close();
  };
  const end = useSend<StopChange, KeyPair>(
    ({ keyPairId }) => ({
      method: "POST",
      path: "/stops",
      body: { kind: "key_pair", id: keyPairId, state: "ended", reason: "The key pair was revoked." },
    }),
    { refreshes: ["/stops", "/mcp-sessions"], onDone: () => finish("Key pair revoked, and its tokens ended") },
  );
  const revoke = useSend<RevokedKeyPair, KeyPair>(
    ({ keyPairId }) => ({ method: "POST", path: path`/api-clients/${clientId}/key-pairs/${keyPairId}/revoke` }),
    {
      refreshes: ["/api-clients"],
      onDone: (_, keyPair) => {
        if (endsTokens) end.mutate(keyPair);
        else finish("Key pair revoked");
      },
    },
  );
  function close() {
    revoke.reset();
    end.reset();
    setEndsTokens(false);
    onClose();
  }
  return (
    <ConfirmDialog
      opened={keyPair !== undefined}
      title="Revoke this key pair?"
      confirmLabel="Revoke key pair"
      isPending={revoke.isPending || end.isPending}
      error={revoke.error ?? end.error}
      onConfirm={() => keyPair !== undefined && revoke.mutate(keyPair)}
      onClose={close}
    >
      {keyPair !== undefined && <Consequences keyPair={keyPair} isLast={isLast} endsTokens={endsTokens} />}
      <Checkbox
        label="End the tokens that it brought, now"
        checked={endsTokens}
        onChange={(event) => setEndsTokens(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
}

interface ConsequencesProps {
  readonly keyPair: KeyPair;
  readonly isLast: boolean;
  readonly endsTokens: boolean;
}

function Consequences({ keyPair, isLast, endsTokens }: ConsequencesProps) {
  return (
    <>
      <p>
        <code>{keyPair.fingerprint}</code>
        <br />
        Last used: <LastUsed hour={keyPair.lastUsedAt} />
      </p>
      <ul>
        <li>From the next request on, nobody gets a token with this key. This cannot be undone.</li>
        <li>
          {endsTokens
            ? "Tokens that it brought end as well, with their sessions and all that they were exchanged for."
            : "Tokens issued before stay valid until they expire."}
        </li>
        <li>
          {isLast
            ? "It is the only active key pair: the client gets no token until another one is added."
            : "The client's other key pairs are not affected."}
        </li>
      </ul>
    </>
  );
}
