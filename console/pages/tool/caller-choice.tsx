import { SegmentedControl } from "@mantine/core";
import { useCallback, useState } from "react";
import { Link } from "wouter";
import type { Identity } from "../../../lib/management/schemas/identities.ts";
import { useList } from "../../api/use-list.ts";
import type { Caller, TriedClient } from "../../configuration-trial/protocol.ts";
import { useSession } from "../../session/context.ts";
import { ClientFields } from "../configuration-trial/caller-fields.tsx";
import classes from "./try.module.css";

/** Who asks the gateway: the person themselves, or an API client. */
export type ChosenCaller = { readonly kind: "me" } | { readonly kind: "client"; readonly client: TriedClient };

const ME: ChosenCaller = { kind: "me" };

/** What a caller is known by in addresses: `me`, or the client's id. */
export function keyOfCaller(caller: ChosenCaller): string {
  return caller.kind === "me" ? "me" : caller.client.clientId;
}

/** The body of a trial's request. */
export function trialBody(caller: ChosenCaller): { readonly clientId?: string } {
  return caller.kind === "me" ? {} : { clientId: caller.client.clientId };
}

export interface CallerChoosing {
  /** Undefined: nobody is chosen yet. */
  readonly caller: ChosenCaller | undefined;
  readonly who: ChosenCaller["kind"];
  readonly hasAccount: boolean;
  readonly choose: (who: ChosenCaller["kind"]) => void;
  readonly chooseClient: (client: Caller | undefined) => void;
  /** The client that is chosen first. */
  readonly first: string | undefined;
}

/**
 * Who is to call. An owner who has linked no account, for whom no agent could act, begins with an API client.
 *
 * @param first `me`, or the id of a client; undefined: whoever may work
 */
export function useCaller(first?: string): CallerChoosing {
  const { isOwner } = useSession();
  const accounts = useList<Identity>("/identities");
  const [chosen, setChosen] = useState<ChosenCaller["kind"] | undefined>(
    first === undefined ? undefined : first === "me" || !isOwner ? "me" : "client",
  );
  const [client, setClient] = useState<TriedClient>();
  const chooseClient = useCallback(
    (found: Caller | undefined) => setClient(found?.kind === "client" ? found.client : undefined),
    [],
  );
  const hasAccount = accounts.items === undefined || accounts.items.length > 0;
  const who = chosen ?? (isOwner && !hasAccount ? "client" : "me");
  return {
    caller: who === "me" ? ME : client && { kind: "client", client },
    who,
    hasAccount,
    choose: setChosen,
    chooseClient,
    first: first === "me" ? undefined : first,
  };
}

/** For owners the choice; for others, who call as themselves alone, what that takes. */
export function CallerChoice({ choosing }: { readonly choosing: CallerChoosing }) {
  const { isOwner } = useSession();
  const { who, hasAccount, choose, chooseClient, first } = choosing;
  const resource = useSession().instance?.mcpURLs[0];
  const isFit = useCallback(
    ({ resources }: TriedClient) => resource !== undefined && resources.includes(resource),
    [resource],
  );
  return (
    <>
      {isOwner && (
        <SegmentedControl
          aria-label="Who calls"
          className={classes.choice}
          value={who}
          onChange={(next) => choose(next === "client" ? "client" : "me")}
          data={[
            { value: "me", label: "As yourself" },
            { value: "client", label: "As an API client" },
          ]}
        />
      )}
      {who === "client" && <ClientFields onChange={chooseClient} error={undefined} first={first} isFit={isFit} />}
      {who === "me" && !hasAccount && (
        <p className={classes.quiet}>
          An agent acts for you with an account that you have linked, and you have linked none. Link one at{" "}
          <Link href="/account">Your account</Link>
          {isOwner ? ", or call as an API client." : "."}
        </p>
      )}
    </>
  );
}

/** Who it is, in words. */
export function CallerName({ caller }: { readonly caller: ChosenCaller }) {
  return caller.kind === "me" ? "yourself" : <bdi>{caller.client.name}</bdi>;
}
