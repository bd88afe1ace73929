import type { ConnectedAgent } from "../../../lib/management/schemas/consents.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { useNames } from "../../parts/use-names.ts";
import type { Subject } from "../../parts/use-subject.ts";
import { nameOf, namesIn, ScopeWords } from "./agent-columns.tsx";

interface EndAgentDialogProps {
  readonly agent: Subject<ConnectedAgent>;
  /** The list no longer says what is. */
  readonly onStale: () => void;
}

/** Asks before what a person allowed an agent ends, and says what ends with it. */
export function EndAgentDialog({ agent, onStale }: EndAgentDialogProps) {
  const announce = useAnnounce();
  const names = useNames();
  const { value, isOpen, close } = agent;
  const end = useSend<undefined, ConnectedAgent>(
    ({ user, client }) => ({ method: "DELETE", path: "/consents", query: { user, client } }),
    {
      refreshes: ["/connected-agents", "/connections", "/mcp-sessions"],
      onDone: () => {
        announce("Agent disconnected");
        close();
      },
    },
  );
  if (value === undefined) return null;
  const leave = () => {
    close();
    end.reset();
  };
  return (
    <ConfirmDialog
      opened={isOpen}
      title="End what this agent may do?"
      confirmLabel="End"
      isPending={end.isPending}
      error={end.error}
      problemTitle="The agent was not disconnected"
      onConfirm={() => end.mutate(value, { onError: onStale })}
      onClose={leave}
    >
      <p>
        Every token that{" "}
        <strong>
          <ForeignText text={nameOf(value)} />
        </strong>{" "}
        got for this person is refused from now on. Accounts at providers that were connected for this agent alone are
        disconnected, too. To go on, it has to ask the person again.
      </p>
      <Facts
        facts={[
          { term: "Person", value: <Named id={value.user} names={namesIn(value, names)} /> },
          { term: "Client ID", value: <ForeignText text={value.client} /> },
          { term: "May", value: <ScopeWords scopes={value.scopes} /> },
          { term: "At", value: <ForeignText text={value.resources.join(", ")} /> },
        ]}
      />
    </ConfirmDialog>
  );
}
