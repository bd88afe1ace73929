import { Button } from "@mantine/core";
import { KeyIcon, SearchIcon } from "../../icons.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { OwnersOnly } from "../../parts/owners-only.tsx";

/** The organization has none at all. */
export function NoClients() {
  return (
    <EmptyState icon={<KeyIcon size={20} />} title="No API clients yet">
      An API client is a program or an agent. It signs in with a key pair, and gets tokens for the gateway's tools and
      for the management API.{" "}
      <OwnersOnly instead="An owner of this organization creates them.">
        Create one, then add a key pair to it.
      </OwnersOnly>
    </EmptyState>
  );
}

export interface NoMatchesProps {
  readonly search: string;
  readonly onClear: () => void;
}

/** A search found nothing. */
export function NoMatches({ search, onClear }: NoMatchesProps) {
  return (
    <EmptyState
      icon={<SearchIcon size={20} />}
      title="No API client matches"
      action={
        <Button variant="default" onClick={onClear}>
          Clear search
        </Button>
      }
    >
      No name, description or client ID contains{" "}
      <strong>
        <ForeignText text={search} />
      </strong>
      .
    </EmptyState>
  );
}
