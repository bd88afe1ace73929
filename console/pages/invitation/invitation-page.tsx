import { useQuery } from "@tanstack/react-query";
import { useContext, useEffect, useState } from "react";
import type { InvitationPreview } from "../../../lib/management/schemas/invitations.ts";
import { useApi } from "../../api/context.ts";
import type { ApiProblem } from "../../api/problem.ts";
import type { Answer } from "../../api/request.ts";
import { ArrivalTokenContext } from "../../navigation/arrival-token.ts";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { useMe } from "../../session/use-me.ts";
import { WholePage } from "../../shell/whole-page.tsx";
import { AcceptInvitation } from "./accept-invitation.tsx";

/** Shows what an invitation is to, and accepts it: as somebody new, or as whoever is signed in. */
export function InvitationPage() {
  const token = useInvitationToken();
  const preview = usePreview(token);
  const me = useMe();
  if (token === undefined) return <Incomplete />;
  if (preview.error?.status === 404) return <Gone />;
  if (preview.error) {
    return (
      <WholePage title="Invitation">
        <ProblemNote error={preview.error} onRetry={() => void preview.refetch()} />
      </WholePage>
    );
  }
  if (preview.data === undefined || me.isPending) {
    return (
      <WholePage title="Invitation" description="Looking at your invitation.">
        <SkeletonLines lines={3} />
      </WholePage>
    );
  }
  return <AcceptInvitation token={token} preview={preview.data.body} me={me.data?.body} />;
}

/** It stays with this page, so that signing in as somebody else can come first. */
function useInvitationToken(): string | undefined {
  const kept = useContext(ArrivalTokenContext);
  const [token] = useState(kept.current);
  useEffect(() => {
    kept.current = undefined;
  }, [kept]);
  return token;
}

/** The token is in the body of the request, and in no key that anything is kept under. */
function usePreview(token: string | undefined) {
  const api = useApi();
  return useQuery<Answer<InvitationPreview>, ApiProblem>({
    queryKey: ["", "/invitations/preview"],
    queryFn: ({ signal }) =>
      api.send<InvitationPreview>({
        method: "POST",
        path: "/invitations/preview",
        body: { token },
        signal,
        isPublic: true,
      }),
    enabled: token !== undefined,
    staleTime: 0,
    gcTime: 0,
  });
}

function Incomplete() {
  return (
    <WholePage
      title="Open the whole link"
      description="A part of the invitation's link is missing, or this page was loaded again. Open the link from the invitation again."
    >
      <LinkButton href="/sign-in" variant="default">
        Go to sign-in
      </LinkButton>
    </WholePage>
  );
}

function Gone() {
  return (
    <WholePage
      title="This invitation is gone"
      description="It was used, withdrawn, or has expired. Ask an owner of the organization for a new one."
    >
      <LinkButton href="/sign-in" variant="default">
        Go to sign-in
      </LinkButton>
    </WholePage>
  );
}
