import { createContext, useContext } from "react";
import type { Instance } from "../../lib/management/schemas/instance.ts";
import type { Me } from "../../lib/management/schemas/profile.ts";

export type Membership = Me["organizations"][number];

/** Who is signed in, and the organization that the Console is about. */
export interface Session {
  readonly me: Me;
  readonly organization: Membership;
  /** Owners change things; members only read. */
  readonly isOwner: boolean;
  /** Undefined until it is read. */
  readonly instance: Instance | undefined;
  readonly switchTo: (organizationId: string) => void;
  readonly signOut: () => Promise<void>;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("There is no SessionContext around this component.");
  return session;
}
