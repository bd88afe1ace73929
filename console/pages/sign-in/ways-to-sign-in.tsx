import { Divider } from "@mantine/core";
import type { SignInWays } from "../../../lib/management/schemas/sign-in.ts";
import { pathOfPage } from "../../navigation/return-to.ts";
import { LinkButton } from "../../parts/link-button.tsx";
import { Note } from "../../parts/note.tsx";
import { supportsPasskeys } from "../../passkeys/ceremonies.ts";
import { ConnectorButtons, PasskeyButton } from "../../sign-in/ways.tsx";

export interface WaysToSignInProps {
  readonly ways: SignInWays;
  /** Below `/console`. */
  readonly next: string;
  readonly onDone: () => void;
}

/** Passkey first, then the connectors; on a new instance, the way to set it up. */
export function WaysToSignIn({ ways, next, onDone }: WaysToSignInProps) {
  if (ways.setup) {
    return (
      <>
        <Note title="Nobody owns this instance yet">
          The server prints a setup token when it starts. The person who uses it becomes the first owner.
        </Note>
        <LinkButton href="/setup">Set up this instance</LinkButton>
      </>
    );
  }
  const hasBoth = ways.passkeys && ways.connectors.length > 0;
  return (
    <>
      {ways.passkeys && <PasskeyButton onDone={onDone} />}
      {ways.passkeys && !supportsPasskeys() && <Note tone="warn">This browser has no passkeys.</Note>}
      {hasBoth && <Divider label="or" />}
      <ConnectorButtons connectors={ways.connectors} verb="Continue with" returnTo={pathOfPage(next)} />
      {!ways.passkeys && ways.connectors.length === 0 && (
        <Note>
          This instance signs people in with one-time links. Ask an owner, or the person who runs it, for one.
        </Note>
      )}
    </>
  );
}
