import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useSearch } from "wouter";
import type { Me } from "../../../lib/management/schemas/profile.ts";
import type { SignInWays } from "../../../lib/management/schemas/sign-in.ts";
import { useRead } from "../../api/use-read.ts";
import { nextPage } from "../../navigation/return-to.ts";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Note } from "../../parts/note.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { useMe } from "../../session/use-me.ts";
import { WholePage } from "../../shell/whole-page.tsx";
import { connectorProblem } from "../../sign-in/connector-problems.ts";
import { useBeginSession } from "../../sign-in/use-begin-session.ts";
import { useLinkSignIn } from "./use-link-sign-in.ts";
import { WaysToSignIn } from "./ways-to-sign-in.tsx";

/** Signs in by a link that was opened, or shows the other ways. In a second tab (`?again`) it ends here. */
export function SignInPage() {
  const search = useSearch();
  const parameters = new URLSearchParams(search);
  const isSecondTab = parameters.has("again");
  const [isDone, setDone] = useState(parameters.has("done"));
  const begin = useBeginSession();
  const ways = useRead<SignInWays>("/sign-in", { isPublic: true });
  const finish = () => (isSecondTab ? setDone(true) : begin(nextPage(search)));
  const me = useMe();
  const link = useLinkSignIn(me.isPending ? undefined : me.data !== undefined, finish);
  if (isDone) return <WholePage title="You are signed in" description="Close this tab and go on in the other one." />;
  if (link.state === "asking") return <AskBeforeLink me={me.data?.body} onAccept={link.accept} />;
  if (link.state === "pending") {
    return (
      <WholePage title="Signing you in" description="The link works once and is being used now.">
        <SkeletonLines lines={2} />
      </WholePage>
    );
  }
  return (
    <WholePage title="Sign in" description={<WhichInstance region={ways.data?.body.region} />} footer={<Help />}>
      <Arrival search={search} linkError={link.error} />
      {!isSecondTab && <AlreadySignedIn next={nextPage(search)} />}
      {ways.data === undefined ? (
        (ways.error && <ProblemNote error={ways.error} onRetry={() => void ways.refetch()} />) || (
          <SkeletonLines lines={2} />
        )
      ) : (
        <WaysToSignIn ways={ways.data.body} next={isSecondTab ? "/sign-in?done" : nextPage(search)} onDone={finish} />
      )}
    </WholePage>
  );
}

/** A link may have come from anybody, and be for anybody. */
function AskBeforeLink({ me, onAccept }: { readonly me: Me | undefined; readonly onAccept: () => void }) {
  return (
    <WholePage title="Sign in by this link?" description="It signs this browser in as the person that it was made for.">
      <Note tone="warn">
        You are signed in as <ForeignText text={me?.email ?? me?.userId ?? ""} />. That session ends when you go on.
      </Note>
      <Button onClick={onAccept}>Sign in by the link</Button>
      <LinkButton href="/" variant="default">
        Stay signed in
      </LinkButton>
    </WholePage>
  );
}

function WhichInstance({ region }: { readonly region: string | undefined }) {
  return (
    <>
      to {location.host}
      {region !== undefined && `, region ${region.toUpperCase()}`}
    </>
  );
}

/** What happened before the person came here. */
function Arrival({ search, linkError }: { readonly search: string; readonly linkError: unknown }) {
  const problem = connectorProblem(search);
  if (linkError) return <ProblemNote error={linkError} title="The link did not work" />;
  if (problem)
    return (
      <Note tone="bad" isAlert title={problem.title}>
        {problem.detail}
      </Note>
    );
  if (new URLSearchParams(search).has("signed-out")) return <Note tone="good">You are signed out.</Note>;
  return null;
}

/** For whoever comes here, though this browser has a session. */
function AlreadySignedIn({ next }: { readonly next: string }) {
  const me = useMe().data?.body;
  if (me === undefined) return null;
  const go = (
    <LinkButton href={next} size="xs" variant="default">
      Go to the Console
    </LinkButton>
  );
  return (
    <Note actions={go}>
      You are signed in as <ForeignText text={me.email ?? me.userId} />.
    </Note>
  );
}

function Help() {
  return (
    <>
      Have a one-time link or an invitation? Open it in this browser. Whoever runs the instance can{" "}
      <Link href="/setup">use its setup token</Link>.
    </>
  );
}
