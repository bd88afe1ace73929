import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { Instance } from "../../../lib/management/schemas/instance.ts";
import { useRead } from "../../api/use-read.ts";
import { DataState } from "../../parts/data-state.tsx";
import { visibleText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import classes from "./get-token.module.css";
import { keyFileName } from "./key-file-name.ts";
import { activeOf } from "./key-pairs.ts";
import { SnippetTabs } from "./snippet-tabs.tsx";

const DESCRIPTION = "The client signs an assertion with its private key, and exchanges it for a token.";

/** How the client gets a token, ready to be copied. */
export function GetToken({ client }: { readonly client: ApiClient }) {
  const instance = useRead<Instance>("/instance");
  return (
    <Panel title="Get a token" description={DESCRIPTION}>
      <DataState
        data={instance.data?.body}
        error={instance.error}
        refetch={() => void instance.refetch()}
        problemTitle="What is needed for a token could not be read"
      >
        {(body) => <Choices client={client} instance={body} />}
      </DataState>
    </Panel>
  );
}

function Choices({ client, instance }: { readonly client: ApiClient; readonly instance: Instance }) {
  const keyPairs = activeOf(client.keyPairs);
  const [chosenKey, setKey] = useState<string>();
  const [chosenAudience, setAudience] = useState<string>();
  const key = keyPairs.find(({ keyPairId }) => keyPairId === chosenKey) ?? keyPairs[0];
  const audiences = [...client.resources, instance.managementAudience];
  const audience = audiences.find((url) => url === chosenAudience) ?? audiences[0];
  if (instance.issuer === undefined) return <p>This instance issues no tokens: it has no authorization server.</p>;
  if (key === undefined) return <p className={classes.hint}>Add a key pair first. What to run then stands here.</p>;
  return (
    <div className={classes.content}>
      <div className={classes.choices}>
        <NativeSelect
          label="Audience"
          data={audiences.map((url) => ({ value: url, label: nameOf(url, instance) }))}
          value={audience}
          onChange={(event) => setAudience(event.currentTarget.value)}
        />
        {keyPairs.length > 1 && (
          <NativeSelect
            label="Key pair"
            data={keyPairs.map(({ keyPairId, fingerprint }) => ({ value: keyPairId, label: fingerprint }))}
            value={key.keyPairId}
            onChange={(event) => setKey(event.currentTarget.value)}
          />
        )}
      </div>
      <SnippetTabs
        instance={instance}
        scopes={client.scopes}
        facts={{
          issuer: instance.issuer,
          clientId: client.clientId,
          keyFile: keyFileName(client.name, key.fingerprint),
          resource: audience === instance.managementAudience ? undefined : audience,
        }}
      />
    </div>
  );
}

function nameOf(url: string, { managementAudience, resources }: Instance): string {
  const isGateway = resources.some((resource) => resource.url === url);
  const kind = url === managementAudience ? "Management API" : isGateway ? "Gateway" : "Other";
  return `${kind}: ${visibleText(url)}`;
}
