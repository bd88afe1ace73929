import { Button } from "@mantine/core";
import { useState } from "react";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSession } from "../../session/context.ts";
import { useGoOn } from "./leave-dialog.tsx";

/** The end of the organization, for its owners. Who looks at the first one reads why there is none. */
export function DeletePanel() {
  const { instance } = useSession();
  const [isAsking, setAsking] = useState(false);
  const isFirst = instance?.isFirstOrganization ?? true;
  return (
    <>
      <Panel
        title="Delete this organization"
        description={isFirst ? FIRST : "Its members, API clients and connections go with it. This cannot be undone."}
        tone="danger"
        actions={
          <Button variant="default" disabled={isFirst} onClick={() => setAsking(true)}>
            Delete organization
          </Button>
        }
      />
      <DeleteDialog opened={isAsking} onClose={() => setAsking(false)} />
    </>
  );
}

const FIRST =
  "The first organization administers the instance and cannot be deleted. Delete its API clients and remove its members instead.";

interface DeleteDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Says what ends and what stays, then deletes: the person goes on in another organization, or, without one, leaves the Console. */
function DeleteDialog({ opened, onClose }: DeleteDialogProps) {
  const { me, organization } = useSession();
  const next = me.organizations.find(({ organizationId }) => organizationId !== organization.organizationId);
  const goOn = useGoOn(`${visibleText(organization.name)} is deleted`, next?.organizationId);
  const send = useSend(() => ({ method: "DELETE", path: path`/organizations/${organization.organizationId}` }), {
    refreshes: next === undefined ? [] : ["/me"],
    onDone: goOn,
  });
  const close = () => {
    onClose();
    send.reset();
  };
  return (
    <ConfirmDialog
      opened={opened}
      title="Delete this organization?"
      confirmLabel="Delete organization"
      typeToConfirm={organization.name}
      isPending={send.isPending}
      error={send.error}
      problemTitle="The organization was not deleted"
      onConfirm={() => send.mutate()}
      onClose={close}
    >
      <p>
        Nothing of{" "}
        <strong>
          <ForeignText text={organization.name} />
        </strong>{" "}
        works any more, at once and for good: its API clients get no tokens and their tokens end, sessions of agents
        end, and its apps serve nobody.
      </p>
      <p>
        Members, invitations, API clients, connections and overrides are deleted. Members who belong to no other
        organization lose their account.
      </p>
      <p>
        Audit records stay until their retention ends. The name and id stay known to the instance; records of tokens and
        sessions stay until they expire.
      </p>
      {next === undefined && (
        <p>It is your only organization: your account here ends with it, and you are signed out.</p>
      )}
    </ConfirmDialog>
  );
}
