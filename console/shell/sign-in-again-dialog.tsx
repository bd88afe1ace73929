import { Button, Divider, Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { Me } from "../../lib/management/schemas/profile.ts";
import type { SignInWays } from "../../lib/management/schemas/sign-in.ts";
import { useConnection } from "../api/context.ts";
import { ApiProblem, asProblem } from "../api/problem.ts";
import type { SignInNeed } from "../api/session-gate.ts";
import { useRead } from "../api/use-read.ts";
import { ExternalIcon } from "../icons.tsx";
import { ForeignText, visibleText } from "../parts/foreign-text.tsx";
import { Note } from "../parts/note.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { supportsPasskeys } from "../passkeys/ceremonies.ts";
import { ME_KEY } from "../session/use-me.ts";
import { PasskeyButton } from "../sign-in/ways.tsx";
import { useOpenedOnceThere } from "./loaded-later.tsx";
import classes from "./sign-in-again-dialog.module.css";

export interface SignInAgainDialogProps {
  readonly person: Me;
  /** Undefined: none. */
  readonly need: SignInNeed | undefined;
}

/**
 * Appears over the page when the session is over, or too old for what was asked. What was typed stays, and what waits for
 * another session goes on.
 */
export function SignInAgainDialog({ person, need }: SignInAgainDialogProps) {
  const { gate } = useConnection();
  return (
    <Modal
      opened={useOpenedOnceThere(need !== undefined)}
      onClose={gate.giveUp}
      title="Sign in again"
      zIndex={400}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {need !== undefined && <SignInAgain person={person} need={need} />}
    </Modal>
  );
}

interface SignInAgainProps {
  readonly person: Me;
  readonly need: SignInNeed;
}

function SignInAgain({ person, need }: SignInAgainProps) {
  const ways = useRead<SignInWays>("/sign-in", { isPublic: true }).data?.body;
  const { check, stranger, problem, isChecking } = useSessionCheck(person, need);
  const hasPasskeys = ways?.passkeys === true && supportsPasskeys();
  return (
    <div className={classes.content}>
      <p>
        {REASONS[need]} as{" "}
        <strong>
          <ForeignText text={person.email ?? person.userId} />
        </strong>{" "}
        to go on.
      </p>
      {stranger !== undefined && <Stranger name={stranger} />}
      <ProblemNote error={problem} title="You are not signed in yet" />
      {hasPasskeys && <PasskeyButton onDone={check} />}
      {hasPasskeys && <Divider label="or" />}
      <div className={classes.actions}>
        <Button
          component="a"
          href="/console/sign-in?again"
          target="_blank"
          rel="noreferrer"
          variant="default"
          rightSection={<ExternalIcon size={14} />}
        >
          Sign in in a new tab
        </Button>
        <Button variant="default" loading={isChecking} onClick={check}>
          I am signed in again
        </Button>
      </div>
      <LeaveButton need={need} />
    </div>
  );
}

/** Up to the person's name. */
const REASONS: Readonly<Record<SignInNeed, string>> = {
  session: "Your session has ended. Your entries are still here: sign in",
  recent_sign_in: "This needs a recent sign-in. This protects you if you leave your browser open. Sign in",
};

function LeaveButton({ need }: Pick<SignInAgainProps, "need">) {
  const { gate } = useConnection();
  const leavesPage = need === "session";
  return (
    <Button
      variant="subtle"
      color="gray"
      onClick={() => (leavesPage ? location.assign("/console/sign-in") : gate.giveUp())}
    >
      {leavesPage ? "Discard my entries and leave" : "Change nothing"}
    </Button>
  );
}

/** What was typed by one person is not sent as another. */
function Stranger({ name }: { readonly name: string }) {
  return (
    <Note
      tone="warn"
      isAlert
      title={`You are signed in as ${name}`}
      actions={
        <Button size="xs" variant="default" onClick={() => location.assign("/console/")}>
          Go on as {name}
        </Button>
      }
    >
      Another person made the entries on this page. They are discarded if you continue.
    </Note>
  );
}

/** Looks whether the same person has another session, also whenever they come back to this tab. */
function useSessionCheck(person: Me, need: SignInNeed) {
  const { api, gate } = useConnection();
  const queries = useQueryClient();
  const [state, setState] = useState<{
    readonly problem?: unknown;
    readonly stranger?: string;
    readonly isChecking?: boolean;
  }>({});
  const look = useCallback(
    async (isSilent: boolean) => {
      setState({ isChecking: true });
      try {
        const me = await api.send<Me>({ path: "/me", isPublic: true });
        if (me.body.userId !== person.userId) {
          setState({ stranger: visibleText(me.body.email ?? me.body.userId) });
        } else if (need === "recent_sign_in" && me.body.sessionId === person.sessionId) {
          setState(isSilent ? {} : { problem: sameSession() });
        } else {
          queries.setQueryData(ME_KEY, me);
          gate.renew();
        }
      } catch (error) {
        setState(isSilent && asProblem(error).status === 401 ? {} : { problem: error });
      }
    },
    [api, gate, queries, person.userId, person.sessionId, need],
  );
  useEffect(() => {
    const onReturn = () => {
      if (document.visibilityState === "visible") void look(true);
    };
    document.addEventListener("visibilitychange", onReturn);
    return () => document.removeEventListener("visibilitychange", onReturn);
  }, [look]);
  const check = () => void look(false);
  return { check, stranger: state.stranger, problem: state.problem, isChecking: state.isChecking === true };
}

function sameSession(): ApiProblem {
  const detail = "This browser still has the earlier session. Sign in and try again.";
  return new ApiProblem({ status: 0, code: "same_session", title: "You are not signed in yet", detail });
}
