import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ServerTool, Transport } from "../../configuration-check/protocol.ts";
import { DialogForm } from "../../parts/form-dialog.tsx";
import { Note } from "../../parts/note.tsx";
import { appNameOf, nameError } from "./app-name.ts";
import { CallerFields, callersOf, NO_CALLERS, scopesError } from "./caller-fields.tsx";
import { CredentialFields, credentialErrors, credentialOf, NO_CREDENTIAL } from "./credential-fields.tsx";
import { GatewayNote } from "./gateway-note.tsx";
import { LookAtServer } from "./look-at-server.tsx";
import { ProposalNotes } from "./proposal-notes.tsx";
import { listsOf, ToolChoice } from "./tool-choice.tsx";
import { type FormContext, useProposal } from "./use-proposal.ts";

const NO_SCHEMES = [] as const;

/** Puts an MCP server behind the gateway: where it is, under which name, which of its tools, and with which credentials. */
export default function AddMcpServerForm(context: FormContext) {
  const { checks, onClose } = context;
  const proposal = useProposal(context);
  const [url, setUrl] = useState("");
  const [urlError, setUrlError] = useState<string>();
  const [transport, setTransport] = useState<Transport>("stream");
  const [typedName, setName] = useState<string>();
  const [namespace, setNamespace] = useState("");
  const [tools, setTools] = useState<readonly ServerTool[]>([]);
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [credential, setCredential] = useState(NO_CREDENTIAL);
  const [callers, setCallers] = useState(NO_CALLERS);
  const [isTried, setTried] = useState(false);
  const apps = checks.result?.apps ?? [];
  const address = url.trim();
  const name = typedName ?? (/^https?:\/\/[^/]+\.[a-z]/i.test(address) ? appNameOf(address, apps) : "");
  const errors = {
    ...credentialErrors(credential, NO_SCHEMES),
    url: /^https?:\/\/./.test(address) ? undefined : "Enter an http or https URL.",
    name: nameError(name, apps),
    scopes: scopesError(callers),
    tools: tools.length > 0 && off.size === tools.length ? "Choose at least one tool." : undefined,
  };
  const forget = () => {
    setUrlError(undefined);
    setTools([]);
    setOff(new Set());
  };
  const submit = () => {
    setTried(true);
    if (Object.values(errors).some((error) => error !== undefined)) return;
    const app = {
      ...{ name: name.trim(), url: address, transport, credential: credentialOf(credential, NO_SCHEMES) },
      callers: callersOf(callers),
      ...(namespace.trim() !== "" && { namespace: namespace.trim() }),
      ...listsOf(
        tools.map((tool) => tool.name),
        off,
      ),
    };
    void proposal.propose(
      { kind: "mcpServer", app },
      `apps[${apps.length}]`,
      `${app.name} is in the text. Publish puts it to use`,
    );
  };
  return (
    <DialogForm
      onSubmit={(event) => {
        event?.preventDefault();
        submit();
      }}
      submitLabel={proposal.isWarned ? "Add it all the same" : "Add"}
      isPending={proposal.isPending}
      problem={undefined}
      onCancel={onClose}
    >
      <TextInput
        label="URL of the MCP server"
        type="url"
        value={url}
        error={urlError ?? (isTried ? errors.url : undefined)}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
          forget();
        }}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <NativeSelect
        label="Transport"
        data={[
          { value: "stream", label: "Streamable HTTP" },
          { value: "sse", label: "HTTP with SSE, the former one" },
        ]}
        value={transport}
        onChange={(event) => {
          setTransport(event.currentTarget.value === "sse" ? "sse" : "stream");
          forget();
        }}
      />
      <LookAtServer
        key={`${transport} ${address}`}
        url={address}
        transport={transport}
        onUrlError={setUrlError}
        onAnswer={(answer) => {
          if (answer.outcome === "answered") setTools(answer.tools);
        }}
      />
      <TextInput
        label="Name of the app"
        value={name}
        error={isTried ? errors.name : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
        autoComplete="off"
      />
      <TextInput
        label="In front of the names of its tools"
        description={`Empty: ${name.trim() === "" ? "the name and _" : `${name.trim()}_`}`}
        value={namespace}
        onChange={(event) => setNamespace(event.currentTarget.value)}
        autoComplete="off"
      />
      {tools.length > 0 && (
        <ToolChoice
          tools={tools.map((tool) => ({
            ...tool,
            isReadOnly: tool.annotations?.readOnlyHint === true,
            isDestructive: tool.annotations?.destructiveHint === true,
          }))}
          off={off}
          onChange={setOff}
        />
      )}
      {isTried && errors.tools !== undefined && (
        <Note tone="bad" isAlert>
          {errors.tools}
        </Note>
      )}
      <CallerFields values={callers} error={isTried ? errors.scopes : undefined} onChange={setCallers} />
      <CredentialFields
        values={credential}
        schemes={NO_SCHEMES}
        errors={isTried ? errors : {}}
        onChange={setCredential}
      />
      <GatewayNote checks={checks} />
      <ProposalNotes proposal={proposal} />
    </DialogForm>
  );
}
