import { Button } from "@mantine/core";
import { ExternalIcon } from "../../icons.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import type { useConnectorSignIn } from "../../sign-in/use-connector-sign-in.ts";
import { ARRIVAL } from "./connector-arrival.tsx";

export interface ConnectButtonsProps {
  readonly connectors: readonly string[];
  readonly begin: ReturnType<typeof useConnectorSignIn>;
}

/** A button for each connector; it leads away from the Console, and back to this page. */
export function ConnectButtons({ connectors, begin }: ConnectButtonsProps) {
  const isLeaving = begin.isPending || begin.isSuccess;
  return connectors.map((connector) => (
    <Button
      key={connector}
      variant="default"
      rightSection={<ExternalIcon size={14} />}
      loading={isLeaving && begin.variables?.connector === connector}
      disabled={isLeaving}
      onClick={() => begin.mutate({ connector, link: true, returnTo: ARRIVAL })}
    >
      <span>
        Connect <ForeignText text={connector} />
      </span>
    </Button>
  ));
}
