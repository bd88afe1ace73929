import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { Profile } from "../../lib/management/schemas/profile.ts";
import type { SignInWays } from "../../lib/management/schemas/sign-in.ts";
import { useApi } from "../api/context.ts";
import { ExternalIcon, PasskeyIcon } from "../icons.tsx";
import { ForeignText } from "../parts/foreign-text.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { signInWithPasskey, supportsPasskeys } from "../passkeys/ceremonies.ts";
import { useConnectorSignIn } from "./use-connector-sign-in.ts";

/** The button that signs in with a passkey, in place. */
export function PasskeyButton({ onDone, label = "Sign in with a passkey", variant = "filled" }: PasskeyButtonProps) {
  const api = useApi();
  const signIn = useMutation({ mutationFn: () => signInWithPasskey(api), onSuccess: onDone });
  return (
    <>
      <ProblemNote error={signIn.error} />
      <Button
        variant={variant}
        leftSection={<PasskeyIcon />}
        loading={signIn.isPending}
        disabled={!supportsPasskeys()}
        onClick={() => signIn.mutate()}
      >
        {label}
      </Button>
    </>
  );
}

export interface PasskeyButtonProps {
  readonly onDone: (profile: Profile) => void;
  readonly label?: string;
  /** The page's main way in, or one beside it. */
  readonly variant?: "filled" | "default";
}

export interface ConnectorButtonsProps {
  readonly connectors: SignInWays["connectors"];
  /** In front of the connector's name: "Continue with". */
  readonly verb: string;
  /** A path of the origin, below `/console/`. */
  readonly returnTo: string;
  readonly invitation?: string;
}

/** A button for each connector; it leads away from the Console, and back to `returnTo`. */
export function ConnectorButtons({ connectors, verb, returnTo, invitation }: ConnectorButtonsProps) {
  const begin = useConnectorSignIn();
  const isLeaving = begin.isPending || begin.isSuccess;
  return (
    <>
      <ProblemNote error={begin.error} />
      {connectors.map((connector) => (
        <Button
          key={connector}
          variant="default"
          rightSection={<ExternalIcon size={14} />}
          loading={isLeaving && begin.variables?.connector === connector}
          disabled={isLeaving}
          onClick={() => begin.mutate({ connector, returnTo, ...(invitation !== undefined && { invitation }) })}
        >
          <span>
            {verb} <ForeignText text={connector} />
          </span>
        </Button>
      ))}
    </>
  );
}
