import { Button, Divider, Modal } from "@mantine/core";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { Me } from "../../lib/management/schemas/profile.ts";
import type { SignInWays } from "../../lib/management/schemas/sign-in.ts";
import { useConnection } from "../api/context.ts";
import { asProblem } from "../api/problem.ts";
import { useRead } from "../api/use-read.ts";
import { ExternalIcon } from "../icons.tsx";
import { ForeignText, visibleText } from "../parts/foreign-text.tsx";
import { Note } from "../parts/note.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { supportsPasskeys } from "../passkeys/ceremonies.ts";
import { PasskeyButton } from "../sign-in/ways.tsx";
import classes from "./sign-in-again-dialog.module.css";

/** Appears over the page when the session is over. What was typed stays, and what waits for the session goes on. */
export function SignInAgainDialog({ person }: { readonly person: Me }) {
  const { gate } = useConnection();
  const isOver = useSyncExternalStore(gate.subscribe, gate.isOver);
  return (
    <Modal
      opened={isOver}
      onClose={gate.giveUp}
      title="Sign in again"
      zIndex={400}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {isOver && <SignInAgain person={person} />}
    </Modal>
  );
}

function SignInAgain({ person }: { readonly person: Me }) {
  const ways = useRead<SignInWays>("/sign-in", { isPublic: true }).data?.body;
  const { check, stranger, problem, isChecking } = useSessionCheck(person);
  const hasPasskeys = ways?.passkeys === true && supportsPasskeys();
  return (
    <div className={classes.content}>
      <p>
        Your session is over. What you have typed is still here: sign in as{" "}
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
      <Button variant="subtle" color="gray" onClick={() => location.assign("/console/sign-in")}>
        Discard what I typed and leave
      </Button>
    </div>
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
      What you typed on this page was for another person, and is discarded if you go on.
    </Note>
  );
}

/** Looks whether the same person has a session again, also whenever they come back to this tab. */
function useSessionCheck(person: Me) {
  const { api, gate } = useConnection();
  const [state, setState] = useState<{
    readonly problem?: unknown;
    readonly stranger?: string;
    readonly isChecking?: boolean;
  }>({});
  const look = useCallback(
    async (isSilent: boolean) => {
      setState({ isChecking: true });
      try {
        const { body } = await api.send<Me>({ path: "/me", isPublic: true });
        if (body.userId === person.userId) gate.renew();
        else setState({ stranger: visibleText(body.email ?? body.userId) });
      } catch (error) {
        setState(isSilent && asProblem(error).status === 401 ? {} : { problem: error });
      }
    },
    [api, gate, person.userId],
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
