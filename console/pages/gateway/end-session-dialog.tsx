import type { McpSession } from "../../../lib/management/schemas/mcp-sessions.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Time } from "../../parts/time.tsx";
import type { Subject } from "../../parts/use-subject.ts";

/** Asks before a session is ended. */
export function EndSessionDialog({ ending }: { readonly ending: Subject<McpSession> }) {
  const announce = useAnnounce();
  const end = useSend<undefined, string>((id) => ({ method: "DELETE", path: path`/mcp-sessions/${id}` }), {
    refreshes: ["/mcp-sessions", "/overview"],
    onDone: () => {
      announce("Session ended");
      ending.close();
    },
  });
  const session = ending.value;
  const close = () => {
    end.reset();
    ending.close();
  };
  return (
    <ConfirmDialog
      opened={ending.isOpen}
      title="End this session?"
      confirmLabel="End session"
      isPending={end.isPending}
      error={end.error}
      onConfirm={() => session && end.mutate(session.id)}
      onClose={close}
    >
      {session && (
        <>
          <SessionFacts session={session} />
          <p>
            Calls of it that are running are given up; what they have done already stays done. Its streams end, and its
            next request is refused, so that the agent has to begin anew.
          </p>
          <p>
            This keeps nobody out: with a valid token the agent may begin another session at once. To keep it out,
            revoke its key pairs and tokens as well.
          </p>
        </>
      )}
    </ConfirmDialog>
  );
}

function SessionFacts({ session: { agent, user, clientInfo, startedAt } }: { readonly session: McpSession }) {
  return (
    <Facts
      facts={[
        { term: "Agent", value: agent === undefined ? "Nobody is authenticated" : <ForeignText text={agent} /> },
        { term: "Software", value: clientInfo.name === "" ? undefined : <ForeignText text={clientInfo.name} /> },
        { term: "Person", value: user && <ForeignText text={user} /> },
        { term: "Started", value: <Time value={startedAt} /> },
      ]}
    />
  );
}
