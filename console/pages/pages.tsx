import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { SignedIn } from "../shell/signed-in.tsx";
import { WholePageLoading } from "../shell/whole-page.tsx";
import { MemberPages } from "./member-pages.tsx";

const SignInPage = lazy(async () => ({ default: (await import("./sign-in/sign-in-page.tsx")).SignInPage }));
const SetupPage = lazy(async () => ({ default: (await import("./setup/setup-page.tsx")).SetupPage }));
const InvitationPage = lazy(async () => ({
  default: (await import("./invitation/invitation-page.tsx")).InvitationPage,
}));
const ConnectPage = lazy(async () => ({ default: (await import("./connect/connect-page.tsx")).ConnectPage }));

/** Pages for everybody, and the Console proper around all others. */
export function Pages() {
  return (
    <Suspense fallback={<WholePageLoading />}>
      <Switch>
        <Route path="/sign-in">
          <SignInPage />
        </Route>
        <Route path="/setup">
          <SetupPage />
        </Route>
        <Route path="/invitation">
          <InvitationPage />
        </Route>
        <Route path="/connect">
          <ConnectPage />
        </Route>
        <Route>
          <SignedIn>
            <MemberPages />
          </SignedIn>
        </Route>
      </Switch>
    </Suspense>
  );
}
