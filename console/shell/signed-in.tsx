import { Button } from "@mantine/core";
import { lazy, type ReactNode, useSyncExternalStore } from "react";
import { Redirect, useLocation, useSearch } from "wouter";
import { useConnection } from "../api/context.ts";
import { signInAddress } from "../navigation/return-to.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { SessionProvider } from "../session/session-provider.tsx";
import { useMe } from "../session/use-me.ts";
import { OnceNeeded, useLoadOnTouch } from "./loaded-later.tsx";
import { Shell } from "./shell.tsx";
import { WholePage, WholePageLoading } from "./whole-page.tsx";

const loadSignInAgain = () => import("./sign-in-again-dialog.tsx");
const SignInAgainDialog = lazy(async () => ({ default: (await loadSignInAgain()).SignInAgainDialog }));

/** The Console for whoever is signed in; others are sent to the page where they can. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const me = useMe();
  const { gate } = useConnection();
  const need = useSyncExternalStore(gate.subscribe, gate.need);
  useLoadOnTouch(loadSignInAgain);
  const [page] = useLocation();
  const search = useSearch();
  if (me.data !== undefined) {
    return (
      <>
        <SessionProvider me={me.data.body}>
          <Shell>{children}</Shell>
        </SessionProvider>
        <OnceNeeded isNeeded={need !== undefined}>
          <SignInAgainDialog person={me.data.body} need={need} />
        </OnceNeeded>
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
