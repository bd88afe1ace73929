import { Button, Checkbox } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { asProblem } from "../../api/problem.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import type { ClientDetailsProps } from "./shown-client.ts";

/** Deletes the client once its name is typed. */
export function DeleteClient({ client, refetch }: Pick<ClientDetailsProps, "client" | "refetch">) {
  const [isAsking, setAsking] = useState(false);
  const [revokeTokens, setRevokeTokens] = useState(false);
  const [, navigate] = useLocation();
  const announce = useAnnounce();
  const { clientId, name } = client.body;
  const remove = useSend(
    () => ({
      method: "DELETE",
      path: path`/api-clients/${clientId}`,
      query: { revokeTokens: revokeTokens || undefined },
      ifMatch: client.etag,
    }),
    {
      onDone: () => {
        announce("API client deleted");
        navigate("/api-clients", { replace: true });
      },
    },
  );
  const confirm = () =>
    remove.mutate(undefined, { onError: (error) => asProblem(error).status === 412 && void refetch() });
  const open = () => {
    remove.reset();
    setRevokeTokens(false);
    setAsking(true);
  };
  return (
    <>
      <Panel
        tone="danger"
        title="Delete this API client"
        description="It gets no more tokens. Its key pairs and its ID are deleted for good."
        actions={
          <Button variant="default" onClick={open}>
            Delete API client
          </Button>
        }
      />
      <ConfirmDialog
        opened={isAsking}
        title="Delete this API client?"
        confirmLabel="Delete API client"
        typeToConfirm={name}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        <p>
          <strong>
            <ForeignText text={name} />
          </strong>{" "}
          gets no new token from the next request on. All its key pairs are gone with it. This cannot be undone.
        </p>
        <p>
          {revokeTokens ? "Tokens issued before end as well." : "Tokens issued before stay valid until they expire."}
        </p>
        {remove.error?.status === 412 && <p>It was read again. Check its present state before you delete it.</p>}
        <Checkbox
          label="Also end tokens issued before"
          checked={revokeTokens}
          onChange={(event) => setRevokeTokens(event.currentTarget.checked)}
          disabled={remove.isPending}
        />
      </ConfirmDialog>
    </>
  );
}
