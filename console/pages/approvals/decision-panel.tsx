import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { Approval } from "../../../lib/management/schemas/approvals.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { useSession } from "../../session/context.ts";
import { STATES } from "./approval-states.ts";
import classes from "./decision-panel.module.css";

interface DecisionPanelProps {
  readonly approval: Approval;
  readonly refetch: () => void;
}

type Decision = "approve" | "refuse";

/** The two answers, as long as one is waited for, and afterwards what happens next. */
export function DecisionPanel({ approval, refetch }: DecisionPanelProps) {
  const { state, mayDecide, by } = approval;
  const [decision, decide] = useDecision(approval, refetch);
  const { error, isPending, isSuccess, variables } = decision;
  return (
    <Panel title="Decision">
      <div className={classes.content}>
        <ProblemNote error={error} title="Nothing was decided" />
        {error?.code === "conflict" && <Changed approval={approval} />}
        {state !== "pending" && <Outcome approval={approval} isNew={isSuccess} />}
        {state === "pending" && !mayDecide && <OthersDecide />}
        {mayDecide && (
          <>
            <p>
              Only this call may be made, once, with exactly these arguments.
              {by !== "self" &&
                " To approve it you have signed in within ten minutes, with your passkey if you have one."}
            </p>
            <div className={classes.actions}>
              <Button
                variant="default"
                loading={isPending && variables === "refuse"}
                disabled={isPending || isSuccess}
                onClick={() => decide("refuse")}
              >
                Refuse
              </Button>
              <Button
                loading={isPending && variables === "approve"}
                disabled={isPending || isSuccess}
                onClick={() => decide("approve")}
              >
                Approve
              </Button>
            </div>
          </>
        )}
      </div>
    </Panel>
  );
}

/** Sends the digest of what is shown, so that nobody approves what they have not seen. */
function useDecision({ approvalId, digest }: Approval, refetch: () => void) {
  const announce = useAnnounce();
  const send = useSend<Approval, Decision>(
    (decision) => ({ method: "POST", path: path`/approvals/${approvalId}/decision`, body: { decision, digest } }),
    { refreshes: ["/approvals"], onDone: ({ body }) => announce(STATES[body.state].label) },
  );
  const decide = (decision: Decision) => send.mutate(decision, { onError: refetch });
  return [send, decide] as const;
}

/** Or they do, in another of their organizations. */
function OthersDecide() {
  const { me } = useSession();
  return (
    <p>
      You may see this call, and others decide on it.
      {me.organizations.length > 1 &&
        " If the app belongs to another of your organizations, choose that one in the navigation."}
    </p>
  );
}

/** It takes the focus of the button that is gone when it appears. */
function Outcome({ approval: { state }, isNew }: { readonly approval: Approval; readonly isNew: boolean }) {
  const { tone, label, next } = STATES[state];
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNew) place.current?.focus();
  }, [isNew]);
  return (
    <div ref={place} tabIndex={-1}>
      <Note tone={NOTE_TONES[tone]} title={label}>
        <p>{next}</p>
      </Note>
    </div>
  );
}

const NOTE_TONES = { good: "good", warn: "warn", bad: "warn", neutral: "info", accent: "info" } as const;

/** Somebody else was faster, or it is not what was shown. */
function Changed({ approval: { digest, state } }: { readonly approval: Approval }) {
  const [before] = useState({ digest, state });
  if (before.digest !== digest) return <p>The digest is another one now. Look at all of it again before you decide.</p>;
  if (before.state === state) return <p>It is read again.</p>;
  return (
    <p>
      It was “{STATES[before.state].label}” when you decided, and is “{STATES[state].label}” now.
    </p>
  );
}
