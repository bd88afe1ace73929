import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { BrowserSession } from "../../../lib/management/schemas/browser-sessions.ts";
import { useApi } from "../../api/context.ts";
import { isBelow } from "../../api/keys.ts";
import { asProblem } from "../../api/problem.ts";
import { path } from "../../api/request.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { DeviceName } from "./device-name.tsx";

export interface EndSessionsDialogProps {
  readonly opened: boolean;
  /** Not the one that asks. */
  readonly sessions: readonly BrowserSession[];
  readonly onClose: () => void;
}

/** Ends one session, or all others; one that is over already is no failure. */
export function EndSessionsDialog({ opened, sessions, onClose }: EndSessionsDialogProps) {
  const api = useApi();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const end = useMutation({
    mutationFn: async () => {
      for (const { sessionId } of sessions) {
        await api.send({ method: "DELETE", path: path`/browser-sessions/${sessionId}` }).catch((error: unknown) => {
          if (asProblem(error).status !== 404) throw error;
        });
      }
    },
    onSuccess: () => {
      announce(sessions.length === 1 ? "Session ended" : `${sessions.length} sessions ended`);
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => isBelow(queryKey, "/browser-sessions") }),
  });
  const close = () => {
    onClose();
    end.reset();
  };
  const [first] = sessions;
  if (first === undefined) return null;
  const isOne = sessions.length === 1;
  return (
    <ConfirmDialog
      opened={opened}
      title={isOne ? "End this session?" : `End ${sessions.length} other sessions?`}
      confirmLabel={isOne ? "End session" : "End sessions"}
      isPending={end.isPending}
      error={end.error}
      problemTitle={isOne ? "The session was not ended" : "Not every session was ended"}
      onConfirm={() => end.mutate()}
      onClose={close}
    >
      {isOne ? (
        <p>
          <strong>
            <DeviceName session={first} />
          </strong>{" "}
          is signed out with its next request. You can sign in there again.
        </p>
      ) : (
        <p>Every browser but this one is signed out with its next request. You can sign in there again.</p>
      )}
    </ConfirmDialog>
  );
}
