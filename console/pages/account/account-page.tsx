import type { Identity } from "../../../lib/management/schemas/identities.ts";
import type { Passkey } from "../../../lib/management/schemas/passkeys.ts";
import type { SignInWays } from "../../../lib/management/schemas/sign-in.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import { PageFrame } from "../../parts/page-frame.tsx";
import { AccountsPanel } from "./accounts-panel.tsx";
import { AgentsPanel } from "./agents-panel.tsx";
import { ConnectorArrival } from "./connector-arrival.tsx";
import { LostPanel } from "./lost-panel.tsx";
import { PasskeysPanel } from "./passkeys-panel.tsx";
import { PersonPanel } from "./person-panel.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import { WaysNote } from "./ways-note.tsx";

/** Who one is here, how one signs in, which agents act for one, and where one is signed in. */
export function AccountPage() {
  const ways = useRead<SignInWays>("/sign-in", { isPublic: true });
  const passkeys = useList<Passkey>("/passkeys");
  const accounts = useList<Identity>("/identities");
  return (
    <PageFrame
      title="Account"
      description="How you sign in, where you are signed in, and which agents act for you. It is yours alone, in every organization."
    >
      <ConnectorArrival />
      <WaysNote ways={ways.data?.body} passkeys={passkeys.items} accounts={accounts.items} />
      <PersonPanel />
      <PasskeysPanel passkeys={passkeys} isOff={ways.data?.body.passkeys === false} />
      <AccountsPanel accounts={accounts} ways={ways} />
      <AgentsPanel />
      <SessionsPanel />
      <LostPanel />
    </PageFrame>
  );
}
