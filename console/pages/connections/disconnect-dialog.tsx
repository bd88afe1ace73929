import type { Connection } from "../../../lib/management/schemas/connections.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { useNames } from "../../parts/use-names.ts";
import type { Subject } from "../../parts/use-subject.ts";

/** Asks before a connection is taken back, and says what the provider learns of it. */
export function DisconnectDialog({ connection }: { readonly connection: Subject<Connection> }) {
  const announce = useAnnounce();
  const names = useNames();
  const { value, isOpen, close } = connection;
  const disconnect = useSend<undefined, Connection>(
    ({ connectionId, person, app, agent }) => ({
      method: "DELETE",
      path: path`/connections/${connectionId}`,
      query: { person, app, agent },
    }),
    {
      refreshes: ["/connections"],
      onDone: () => {
        announce("Disconnected");
        close();
      },
    },
  );
  if (value === undefined) return null;
  const leave = () => {
    close();
    disconnect.reset();
  };
  return (
    <ConfirmDialog
      opened={isOpen}
      title="Disconnect this account?"
      confirmLabel="Disconnect"
      isPending={disconnect.isPending}
      error={disconnect.error}
      problemTitle="The account was not disconnected"
      onConfirm={() => disconnect.mutate(value)}
      onClose={leave}
    >
      <p>
        From the next call on,{" "}
        <strong>
          <ForeignText text={value.app} />
        </strong>{" "}
        cannot use the account
        {value.account && (
          <>
            {" "}
            <strong>
              <ForeignText text={value.account.label ?? value.account.id} />
            </strong>
          </>
        )}{" "}
        at <ForeignText text={value.connector} />. To use it again, its owner opens the link that the agent then shows.
      </p>
      <Facts
        facts={[
          { term: "Person", value: <Named id={value.person} names={names} /> },
          ...(value.agent === undefined ? [] : [{ term: "Agent", value: <Named id={value.agent} names={names} /> }]),
        ]}
      />
      <p>{AT_PROVIDER[`${value.revokesAtProvider ?? "unknown"}`]}</p>
    </ConfirmDialog>
  );
}

const AT_PROVIDER = {
  true: "The provider is asked to revoke the tokens. The audit log says what it answered.",
  false: "The provider is not told. The owner of the account can also revoke the access in its settings there.",
  unknown: "If the provider can revoke tokens, it is asked to. The audit log says what it answered.",
} as const;
