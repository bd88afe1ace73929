import { useState } from "react";
import { Link } from "wouter";
import type { Profile } from "../../../lib/management/schemas/profile.ts";
import type { SignInWays } from "../../../lib/management/schemas/sign-in.ts";
import { useRead } from "../../api/use-read.ts";
import { visibleText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { AddPasskeyStep } from "../../passkeys/add-passkey-step.tsx";
import { WholePage } from "../../shell/whole-page.tsx";
import { useBeginSession } from "../../sign-in/use-begin-session.ts";
import { SetupForm } from "./setup-form.tsx";

/** Makes whoever has the setup token the first owner; then offers a passkey. */
export function SetupPage() {
  const [done, setDone] = useState<string>();
  const ways = useRead<SignInWays>("/sign-in", { isPublic: true });
  const begin = useBeginSession();
  const isReturn = ways.data?.body.setup === false;
  if (done !== undefined) return <AddPasskeyStep done={done} onDone={begin} />;
  return (
    <WholePage
      title="Set up this instance"
      description={!isReturn && "You become its first owner, with an organization that API clients belong to."}
      footer={<Link href="/sign-in">Sign in instead</Link>}
    >
      {isReturn && (
        <Note tone="warn" title="This instance has an owner">
          The setup token only lets the owner back in whom <code>console.recoverOwner</code> names. Everybody else signs
          in.
        </Note>
      )}
      <SetupForm isReturn={isReturn} onDone={(profile, hasReturned) => setDone(wordsFor(profile, hasReturned))} />
    </WholePage>
  );
}

function wordsFor({ organizations: [organization] }: Profile, hasReturned: boolean): string {
  return hasReturned ? "You are back" : `${visibleText(organization?.name ?? "The instance")} is set up`;
}
