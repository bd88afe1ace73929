import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type ReactNode, useEffect, useState } from "react";
import type { LimitSetting } from "../../../lib/management/schemas/gateway-settings.ts";
import type { Entry, EntryList, EntryPlace } from "../../configuration-check/protocol.ts";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { DialogForm } from "../../parts/form-dialog.tsx";
import { Note } from "../../parts/note.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { LimitFields } from "../limits/limit-fields.tsx";
import { type LimitValues, limitOf, limitValues } from "../limits/limit-values.ts";
import { REFERENCE, REFERENCE_HINT } from "./credential-fields.tsx";
import { ProposalNotes } from "./proposal-notes.tsx";
import { type FormContext, type Proposal, useProposal } from "./use-proposal.ts";

interface EntryFormProps extends FormContext {
  readonly list: EntryList;
  /** Absent: a new one. */
  readonly at: EntryPlace | undefined;
}

/** A limit or a connector of the text. */
export default function EntryForm({ list, at, ...context }: EntryFormProps) {
  const { checker, text } = context;
  const [entry, setEntry] = useState<Entry>();
  const [failed, setFailed] = useState<Error>();
  useEffect(() => {
    if (at === undefined) return;
    let isHere = true;
    checker.ask({ kind: "entry", text, at }).then(
      (found) => isHere && setEntry(found),
      (error: Error) => isHere && setFailed(error),
    );
    return () => {
      isHere = false;
    };
  }, [checker, text, at]);
  if (failed !== undefined) return <ProblemNote error={failed} title="It could not be read" />;
  if (at !== undefined && entry === undefined) return <SkeletonLines lines={6} />;
  const Form = list === "limits" ? LimitForm : ConnectorForm;
  return <Form {...context} list={list} at={at} entry={entry} />;
}

interface FilledFormProps extends EntryFormProps {
  /** As the text has it. */
  readonly entry: Entry | undefined;
}

function LimitForm({ entry, ...props }: FilledFormProps) {
  const former = entry as LimitSetting | undefined;
  const form = useForm<LimitValues>({
    initialValues: limitValues(former),
    validate: { name: (name) => (name.trim() === "" ? "Enter a name: answers and records have it." : null) },
  });
  const writing = useEntry({ entry, ...props });
  return (
    <EntryFields
      {...props}
      writing={writing}
      onSubmit={form.onSubmit((values) => writing.write({ ...limitOf(values, former) }))}
    >
      <LimitFields form={form} />
    </EntryFields>
  );
}

interface ConnectorValues {
  readonly name: string;
  readonly url: string;
  readonly clientID: string;
  readonly clientSecret: string;
  readonly scopes: string;
}

function ConnectorForm({ entry, ...props }: FilledFormProps) {
  const text = (key: string) => (typeof entry?.[key] === "string" ? entry[key] : "");
  const scopes = entry?.scopes;
  const isOidc = entry === undefined || entry.oidcWellKnownURL !== undefined;
  const form = useForm<ConnectorValues>({
    initialValues: {
      name: text("name"),
      url: text("oidcWellKnownURL"),
      clientID: text("oauthClientID"),
      clientSecret: text("oauthClientSecret"),
      scopes: Array.isArray(scopes) ? scopes.join(" ") : entry === undefined ? "openid profile email" : text("scopes"),
    },
    validate: {
      name: (name) => (name.trim() === "" ? "Enter a name." : null),
      url: (url) => (isOidc && url.trim() === "" ? "Enter the URL of the provider's discovery document." : null),
      clientID: (id) => (id.trim() === "" ? "Enter the client ID." : null),
      clientSecret: (value) =>
        ["", text("oauthClientSecret")].includes(value.trim()) || REFERENCE.test(value.trim())
          ? null
          : `Enter a reference such as ${REFERENCE_HINT}.`,
    },
  });
  const writing = useEntry({ entry, ...props });
  const field = (name: keyof ConnectorValues) => ({
    autoComplete: "off",
    spellCheck: false,
    ...form.getInputProps(name),
  });
  return (
    <EntryFields
      {...props}
      writing={writing}
      onSubmit={form.onSubmit((values) => writing.write(connectorOf(values, entry)))}
    >
      <TextInput label="Name" description="Other keys refer to it." data-autofocus {...field("name")} />
      {isOidc && (
        <TextInput
          label="URL of the discovery document"
          description="Such as https://id.example.com/.well-known/openid-configuration"
          {...field("url")}
        />
      )}
      <TextInput label="Client ID" description="Of this service at the provider." {...field("clientID")} />
      <TextInput
        label="Reference to the client secret"
        description={`Such as ${REFERENCE_HINT}. Empty: it has none.`}
        {...field("clientSecret")}
      />
      <TextInput label="Scopes" description="With spaces between; empty: the default." {...field("scopes")} />
    </EntryFields>
  );
}

/** What this form does not ask for stays as it was. */
function connectorOf({ name, url, clientID, clientSecret, scopes }: ConnectorValues, former: Entry | undefined): Entry {
  const listed = scopes.split(/\s+/).filter((scope) => scope !== "");
  const { oauthClientSecret: _, scopes: formerScopes, ...kept } = former ?? { name: "", type: "oidc" };
  const isSame = Array.isArray(formerScopes)
    ? formerScopes.join(" ") === listed.join(" ")
    : formerScopes === scopes.trim();
  return {
    ...kept,
    name: name.trim(),
    ...(url.trim() !== "" && { oidcWellKnownURL: url.trim() }),
    oauthClientID: clientID.trim(),
    ...(clientSecret.trim() !== "" && { oauthClientSecret: clientSecret.trim() }),
    ...(listed.length > 0 && { scopes: isSame ? formerScopes : listed }),
  };
}

interface Writing {
  readonly proposal: Proposal;
  readonly write: (entry: Entry) => void;
  readonly remove: () => void;
}

function useEntry({ list, at, entry, ...context }: FilledFormProps): Writing {
  const proposal = useProposal(context);
  return {
    proposal,
    write: (to) => {
      const edit =
        at === undefined || entry === undefined
          ? ({ kind: "addEntry", list, entry: to } as const)
          : ({ kind: "changeEntry", at, from: entry, to } as const);
      void proposal.propose(edit, "", `${String(to.name)} is in the text. Publish puts it to use`);
    },
    remove: () => {
      if (at !== undefined) void proposal.propose({ kind: "removeEntry", at }, "", `${at.name} is out of the text`);
    },
  };
}

interface EntryFieldsProps extends EntryFormProps {
  readonly writing: Writing;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

function EntryFields({ list, at, checks, writing, onSubmit, onClose, children }: EntryFieldsProps) {
  const { proposal, remove } = writing;
  const isLast = list === "connectors" && checks.result?.lists.connectors.length === 1;
  const verb = at === undefined ? "Add" : "Apply";
  return (
    <DialogForm
      onSubmit={onSubmit}
      submitLabel={proposal.isWarned ? `${verb} it all the same` : verb}
      isPending={proposal.isPending}
      problem={undefined}
      onCancel={onClose}
    >
      {children}
      {at !== undefined && (
        <div>
          <Button variant="default" color="red" disabled={proposal.isPending} onClick={remove}>
            Remove from the text
          </Button>
        </div>
      )}
      {at !== undefined && isLast && (
        <Note>It is the last connector. To publish without one takes the word no-connectors.</Note>
      )}
      <ProposalNotes proposal={proposal} />
    </DialogForm>
  );
}
