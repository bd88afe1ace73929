import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Redirect, useLocation, useSearch } from "wouter";
import { signInAddress } from "../navigation/return-to.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { SessionProvider } from "../session/session-provider.tsx";
import { useMe } from "../session/use-me.ts";
import { Shell } from "./shell.tsx";
import { SignInAgainDialog } from "./sign-in-again-dialog.tsx";
import { WholePage, WholePageLoading } from "./whole-page.tsx";

/** The Console for whoever is signed in; others are sent to the page where they can. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const me = useMe();
  const [page] = useLocation();
  const search = useSearch();
  if (me.data !== undefined) {
    return (
      <>
        <SessionProvider me={me.data.body}>
          <Shell>{children}</Shell>
        </SessionProvider>
        <SignInAgainDialog person={me.data.body} />
      </>
    );
  }
  if (me.error === null) return <WholePageLoading />;
  if (me.error.status === 401)
    return <Redirect to={signInAddress(search === "" ? page : `${page}?${search}`)} replace />;
  return (
    <WholePage title="The Console cannot start">
      <ProblemNote error={me.error} />
      <Button onClick={() => void me.refetch()} loading={me.isFetching}>
        Try again
      </Button>
    </WholePage>
  );
}
