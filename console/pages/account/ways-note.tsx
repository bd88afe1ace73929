import type { Identity } from "../../../lib/management/schemas/identities.ts";
import type { Passkey } from "../../../lib/management/schemas/passkeys.ts";
import type { SignInWays } from "../../../lib/management/schemas/sign-in.ts";
import { Note } from "../../parts/note.tsx";

export interface WaysNoteProps {
  /** What the instance has; undefined until it is read, as the other two. */
  readonly ways: SignInWays | undefined;
  readonly passkeys: readonly Passkey[] | undefined;
  readonly accounts: readonly Identity[] | undefined;
}

/** Warns whoever could not sign in again, and advises whoever has a single way to. */
export function WaysNote({ ways, passkeys, accounts }: WaysNoteProps) {
  if (ways === undefined || passkeys === undefined || accounts === undefined) return null;
  const advice = adviceOf(ways);
  if (advice === undefined) return null;
  const usable = accounts.filter(({ connector }) => ways.connectors.includes(connector));
  const count = usable.length + (ways.passkeys ? passkeys.length : 0);
  if (count === 0) {
    return (
      <Note tone="warn" title="You cannot sign in again yet">
        When this session ends, only a new one-time link lets you in. {advice} now.
      </Note>
    );
  }
  if (count > 1) return null;
  return <Note title="You have one way to sign in">{advice} as well, for the day that the other one is lost.</Note>;
}

function adviceOf({ passkeys, connectors }: SignInWays): string | undefined {
  if (passkeys) return connectors.length > 0 ? "Add a passkey or connect an account" : "Add a passkey";
  return connectors.length > 0 ? "Connect an account" : undefined;
}
