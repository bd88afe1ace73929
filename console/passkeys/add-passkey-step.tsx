import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { SignInWays } from "../../lib/management/schemas/sign-in.ts";
import { useApi } from "../api/context.ts";
import { useRead } from "../api/use-read.ts";
import { PasskeyIcon } from "../icons.tsx";
import { Note } from "../parts/note.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { WholePage } from "../shell/whole-page.tsx";
import { addPasskey, supportsPasskeys } from "./ceremonies.ts";

export interface AddPasskeyStepProps {
  /** What has just happened: "Example is set up". */
  readonly done: string;
  /** With a passkey or without; to a page below `/console`. */
  readonly onDone: (page: string) => void;
}

/** Offers a passkey to somebody who has just come in by a link: the next time, there is no link. */
export function AddPasskeyStep({ done, onDone }: AddPasskeyStepProps) {
  const api = useApi();
  const ways = useRead<SignInWays>("/sign-in", { isPublic: true }).data?.body;
  const add = useMutation({ mutationFn: () => addPasskey(api), onSuccess: () => onDone("/") });
  if (ways?.passkeys === false) return <ConnectAccountStep done={done} ways={ways} onDone={onDone} />;
  return (
    <WholePage title="Add a passkey" description={`${done}. Links work only once: with a passkey you get in again.`}>
      {supportsPasskeys() ? (
        <p>
          Your device asks for your fingerprint, face or PIN, and keeps the key. The instance gets nothing that could
          leak.
        </p>
      ) : (
        <Note tone="warn">This browser has no passkeys. You can add one later from another browser.</Note>
      )}
      <ProblemNote error={add.error} />
      {supportsPasskeys() && (
        <Button leftSection={<PasskeyIcon />} loading={add.isPending} onClick={() => add.mutate()}>
          Create passkey
        </Button>
      )}
      <Button variant="default" onClick={() => onDone("/")} disabled={add.isPending}>
        Not now
      </Button>
    </WholePage>
  );
}

/** The same where people do not sign in with passkeys. */
function ConnectAccountStep({ done, ways, onDone }: AddPasskeyStepProps & { readonly ways: SignInWays }) {
  const hasConnectors = ways.connectors.length > 0;
  return (
    <WholePage
      title={done}
      description={
        hasConnectors
          ? "A link works only once. Connect an account at an identity provider to sign in again later."
          : "A link works only once. When this session ends, ask the person who runs the instance for another one."
      }
    >
      {hasConnectors && <Button onClick={() => onDone("/account")}>Connect an account</Button>}
      <Button variant={hasConnectors ? "default" : "filled"} onClick={() => onDone("/")}>
        {hasConnectors ? "Not now" : "Go to the Console"}
      </Button>
    </WholePage>
  );
}
