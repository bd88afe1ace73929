import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import { useList } from "../../api/use-list.ts";
import type { Caller, TriedClient } from "../../configuration-trial/protocol.ts";
import { visibleText } from "../../parts/foreign-text.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import classes from "./trial.module.css";

export interface CallerFieldsProps {
  readonly instance: Instance | undefined;
  /** Undefined: nobody is chosen. */
  readonly onChange: (caller: Caller | undefined) => void;
  readonly error: string | undefined;
}

type Kind = Caller["kind"];

/** Who calls: an API client, or whoever a token names. */
export function CallerFields({ instance, onChange, error }: CallerFieldsProps) {
  const [kind, setKind] = useState<Kind>("client");
  return (
    <>
      <NativeSelect
        label="Caller"
        data={[
          { value: "client", label: "An API client" },
          { value: "claims", label: "A person with an agent, or any other token" },
        ]}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as Kind)}
      />
      {kind === "client" ? (
        <ClientFields onChange={onChange} error={error} />
      ) : (
        <ClaimsField instance={instance} onChange={onChange} error={undefined} />
      )}
    </>
  );
}

/** Of one page; the search finds the others. */
const PAGE = 100;

export interface ClientFieldsProps extends Pick<CallerFieldsProps, "onChange" | "error"> {
  /** What is searched for at first: a client ID finds the one. */
  readonly search?: string;
  /** Id of the client that is chosen first, where it is among those that are found. */
  readonly first?: string | undefined;
  /** Whether a client is of use; one that is, is chosen first. */
  readonly isFit?: (client: TriedClient) => boolean;
}

/** Finds an API client of the organization. */
export function ClientFields({
  onChange,
  error,
  search: searched = "",
  first = "",
  isFit = () => true,
}: ClientFieldsProps) {
  const [search, setSearch] = useState(searched);
  const [chosen, setChosen] = useState(first);
  const found = useList<ApiClient>("/api-clients", { query: { search: search.trim(), limit: PAGE } });
  const clients = found.items ?? [];
  const client = clients.find(({ clientId }) => clientId === chosen) ?? clients.find(isFit) ?? clients[0];
  useEffect(() => {
    if (client === undefined) return onChange(undefined);
    const { clientId, name, scopes, resources } = client;
    onChange({ kind: "client", client: { clientId, name, scopes, resources } });
  }, [client, onChange]);
  return (
    <>
      <div className={classes.fields}>
        <TextInput
          label="Search"
          placeholder="Name, description or client ID"
          value={search}
          maxLength={200}
          onChange={(event) => setSearch(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <NativeSelect
          label="API client"
          data={clients.map(({ clientId, name }) => ({ value: clientId, label: visibleText(name) }))}
          value={client?.clientId ?? ""}
          onChange={(event) => setChosen(event.currentTarget.value)}
          error={error}
        />
      </div>
      <p className={classes.quiet} role="status">
        {found.items !== undefined && clients.length === 0 && "There is no such API client."}
        {found.hasMore && `The first ${PAGE} are here; search for others.`}
      </p>
      <ProblemNote error={found.error} title="The API clients could not be read" onRetry={found.refetch} />
    </>
  );
}

/** Claims of a token, as text. */
export function ClaimsField({ instance, onChange, error }: CallerFieldsProps) {
  const [claims, setClaims] = useState(() => JSON.stringify(exampleOf(instance), null, 2));
  useEffect(() => onChange({ kind: "claims", claims }), [claims, onChange]);
  return (
    <Textarea
      label="Claims of the token"
      description="One JSON object. sub is the person, client_id the agent; act tells for whom a token was exchanged."
      value={claims}
      onChange={(event) => setClaims(event.currentTarget.value)}
      rows={9}
      error={error}
      spellCheck={false}
      classNames={{ input: classes.code }}
    />
  );
}

/** As this instance writes them, with all scopes of tools. */
function exampleOf(instance: Instance | undefined) {
  const scopes = (instance?.scopes ?? []).filter(({ kind }) => kind === "tool").map(({ scope }) => scope);
  return {
    iss: instance?.issuer ?? location.origin,
    sub: "user_ada",
    aud: instance?.mcpURLs[0] ?? `${location.origin}/mcp`,
    client_id: "agent",
    scope: scopes.join(" "),
    auth_time: Math.floor(Date.now() / 1_000),
    act: { sub: "agent" },
  };
}
