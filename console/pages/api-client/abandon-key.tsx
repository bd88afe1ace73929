import { Button } from "@mantine/core";
import type { AddedKeyPair, RevokedKeyPair } from "../../../lib/management/schemas/key-pairs.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { Note } from "../../parts/note.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import classes from "./add-key-pair.module.css";

export interface AbandonKeyProps {
  readonly clientId: string;
  readonly pair: AddedKeyPair;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

/** Asks before a private key is lost, and revokes the pair that nobody could use. */
export function AbandonKey({ clientId, pair, onBack, onClose }: AbandonKeyProps) {
  const announce = useAnnounce();
  const revoke = useSend<RevokedKeyPair>(
    () => ({ method: "POST", path: path`/api-clients/${clientId}/key-pairs/${pair.keyPairId}/revoke` }),
    {
      refreshes: ["/api-clients"],
      onDone: () => {
        announce("Key pair revoked");
        onClose();
      },
    },
  );
  return (
    <div className={classes.content}>
      <Note tone="bad" isAlert title="The private key will be lost">
        You have not downloaded it, and nobody can get it later. Without it nobody can use the key pair, so that it is
        revoked when you close this.
      </Note>
      <ProblemNote error={revoke.error} title="The key pair was not revoked" />
      <div className={classes.actions}>
        {revoke.isError && (
          <Button variant="default" onClick={onClose}>
            Close without revoking
          </Button>
        )}
        <Button color="red" onClick={() => revoke.mutate()} loading={revoke.isPending}>
          Close and revoke key pair
        </Button>
        <Button variant="default" onClick={onBack} disabled={revoke.isPending} autoFocus>
          Back to the download
        </Button>
      </div>
    </div>
  );
}
