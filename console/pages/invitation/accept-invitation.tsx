import { Button, Divider } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { InvitationPreview, InvitationToken } from "../../../lib/management/schemas/invitations.ts";
import type { Me, Profile } from "../../../lib/management/schemas/profile.ts";
import type { SignInWays } from "../../../lib/management/schemas/sign-in.ts";
import { keyOf } from "../../api/keys.ts";
import { useRead } from "../../api/use-read.ts";
import { useSend } from "../../api/use-send.ts";
import { Facts } from "../../parts/facts.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Time } from "../../parts/time.tsx";
import { AddPasskeyStep } from "../../passkeys/add-passkey-step.tsx";
import { WholePage } from "../../shell/whole-page.tsx";
import { useBeginSession } from "../../sign-in/use-begin-session.ts";
import { ConnectorButtons, PasskeyButton } from "../../sign-in/ways.tsx";

export interface AcceptInvitationProps {
  readonly token: string;
  readonly preview: InvitationPreview;
  /** Who is signed in, if anybody. */
  readonly me: Me | undefined;
}

export function AcceptInvitation({ token, preview, me }: AcceptInvitationProps) {
  const [newcomer, setNewcomer] = useState<Profile>();
  const begin = useBeginSession();
  const accept = useSend<Profile, InvitationToken>(
    (body) => ({ method: "POST", path: "/invitations/accept", body, isPublic: true }),
    { onDone: ({ body }) => (me === undefined ? setNewcomer(body) : begin("/", joinedBy(body, me))) },
  );
  if (newcomer !== undefined) {
    return (
      <AddPasskeyStep
        done={`You have joined ${visibleText(preview.organization)}`}
        onDone={(page) => begin(page, joinedBy(newcomer))}
      />
    );
  }
  return (
    <WholePage
      title={`Join ${visibleText(preview.organization)}`}
      description={me === undefined ? "You have been invited." : <SignedInAs me={me} />}
    >
      <InvitationFacts preview={preview} />
      <ProblemNote error={accept.error} title="You have not joined yet" />
      <Button loading={accept.isPending} onClick={() => accept.mutate({ token })}>
        {me === undefined ? "Accept invitation" : `Join as ${visibleText(me.email ?? "yourself")}`}
      </Button>
      {me === undefined ? <OtherWays token={token} /> : <SignOutFirst />}
    </WholePage>
  );
}

function InvitationFacts({
  preview: { organization, email, role, expiresAt },
}: {
  readonly preview: InvitationPreview;
}) {
  const facts = [
    { term: "Organization", value: <ForeignText text={organization} /> },
    { term: "Invited address", value: <ForeignText text={email} /> },
    { term: "Role", value: role === "owner" ? "Owner: may change everything" : "Member: may look at everything" },
    { term: "Works until", value: <Time value={expiresAt} /> },
  ];
  return <Facts facts={facts} />;
}

function SignedInAs({ me }: { readonly me: Me }) {
  return (
    <>
      You are signed in as <ForeignText text={me.email ?? me.userId} />, and join as that person.
    </>
  );
}

/** For whom the browser has somebody else's session. The invitation stays on this page. */
function SignOutFirst() {
  const queries = useQueryClient();
  const signOut = useSend(() => ({ method: "POST", path: "/sign-out", isPublic: true }), {
    onDone: () => queries.resetQueries({ queryKey: keyOf(undefined, "/me") }),
  });
  return (
    <>
      <ProblemNote error={signOut.error} title="You are still signed in" />
      <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out to join as somebody else
      </Button>
    </>
  );
}

/** For who has an account here already, or wants to use the one at an identity provider. */
function OtherWays({ token }: { readonly token: string }) {
  const ways = useRead<SignInWays>("/sign-in", { isPublic: true }).data?.body;
  const queries = useQueryClient();
  const readAgain = () => void queries.invalidateQueries();
  if (ways === undefined) return null;
  return (
    <>
      <ConnectorButtons connectors={ways.connectors} verb="Accept with" returnTo="/console/" invitation={token} />
      {ways.passkeys && <Divider label="Have an account here?" />}
      {ways.passkeys && <PasskeyButton label="Sign in with a passkey first" variant="default" onDone={readAgain} />}
    </>
  );
}

/** The organization that the person was not in before. */
function joinedBy(profile: Profile, me?: Me): string | undefined {
  const former = me?.organizations.map(({ organizationId }) => organizationId) ?? [];
  return profile.organizations.find(({ organizationId }) => !former.includes(organizationId))?.organizationId;
}
