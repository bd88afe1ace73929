import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useContext, useEffect, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import type { Instance } from "../../lib/management/schemas/instance.ts";
import type { Me } from "../../lib/management/schemas/profile.ts";
import { useConnection } from "../api/context.ts";
import { useRead } from "../api/use-read.ts";
import { NavigationContext } from "../navigation/arrival.ts";
import { type Membership, type Session, SessionContext } from "./context.ts";
import type { OrganizationChoice } from "./organization-choice.ts";

/** What pages know of the session. Choosing another organization begins every page anew: nothing of the former one stays. */
export function SessionProvider({ me, children }: { readonly me: Me; readonly children: ReactNode }) {
  const { organization: choice } = useConnection();
  const chosen = useSyncExternalStore(choice.subscribe, choice.current);
  const organization = membershipOf(me, chosen);
  useChosen(choice, initialChoice(me, choice));
  if (organization === undefined || chosen === undefined) return null;
  return (
    <ChosenSession key={chosen} me={me} organization={organization}>
      {children}
    </ChosenSession>
  );
}

interface ChosenSessionProps {
  readonly me: Me;
  readonly organization: Membership;
  readonly children: ReactNode;
}

function ChosenSession({ me, organization, children }: ChosenSessionProps) {
  const { organization: choice } = useConnection();
  const instance = useRead<Instance>("/instance");
  const signOut = useSignOut();
  const hasMoved = useContext(NavigationContext);
  const switchTo = (organizationId: string) => {
    // The page begins anew, and takes the focus as any page that one comes to.
    hasMoved.current = true;
    choice.choose(organizationId);
  };
  const session: Session = {
    me,
    organization,
    isOwner: organization.role === "owner",
    instance: instance.data?.body,
    switchTo,
    signOut,
  };
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** Ends the session on the server, forgets all that was read, and shows the page to sign in. */
function useSignOut(): () => Promise<void> {
  const { api, organization } = useConnection();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  return async () => {
    await api.send({ method: "POST", path: "/sign-out", isPublic: true });
    navigate("/sign-in?signed-out");
    queries.clear();
    organization.forget();
  };
}

/** Chosen once the person is known, and again when they lost the organization that was chosen. */
function useChosen(choice: OrganizationChoice, organizationId: string | undefined): void {
  useEffect(() => {
    if (organizationId !== undefined && choice.current() !== organizationId) choice.choose(organizationId);
  }, [choice, organizationId]);
}

function initialChoice(me: Me, choice: OrganizationChoice): string | undefined {
  const wanted = membershipOf(me, choice.current()) ?? membershipOf(me, choice.remembered());
  return wanted?.organizationId ?? me.organizationId;
}

function membershipOf(me: Me, organizationId: string | undefined): Membership | undefined {
  return me.organizations.find((membership) => membership.organizationId === organizationId);
}
