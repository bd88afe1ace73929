import { Button, FileButton, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useApi } from "../../api/context.ts";
import { ApiProblem } from "../../api/problem.ts";
import type { DocumentFacts } from "../../configuration-check/protocol.ts";
import { visibleText } from "../../parts/foreign-text.tsx";
import { DialogForm } from "../../parts/form-dialog.tsx";
import { Note } from "../../parts/note.tsx";
import { appNameOf, nameError } from "./app-name.ts";
import { CallerFields, callersOf, NO_CALLERS, scopesError } from "./caller-fields.tsx";
import { CredentialFields, credentialErrors, credentialOf, NO_CREDENTIAL } from "./credential-fields.tsx";
import classes from "./forms.module.css";
import { GatewayNote } from "./gateway-note.tsx";
import { ProposalNotes } from "./proposal-notes.tsx";
import { listsOf, ToolChoice } from "./tool-choice.tsx";
import { LeftOutOperations } from "./tool-rows.tsx";
import { type FormContext, useProposal } from "./use-proposal.ts";

/** A document that was read, with what it gives. */
interface ReadDocument {
  /** What the configuration names it by. */
  readonly uri: string;
  /** Where it was read. */
  readonly address: string;
  readonly text: string;
  readonly facts: DocumentFacts;
}

/** Milliseconds: the instance asks another host. */
const TIMEOUT = 60_000;
/** Bytes of a file, as `countersign validate` reads at most. */
const MAX_BYTES = 64 * 1024 * 1024;
const ACCEPTED =
  "Enter a URL that begins with https://, or with http://localhost for one on the instance's own machine. Or choose the file.";
/** Of one machine, where nobody changes a document on its way. */
const LOOPBACK = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** What the configuration names the document at an address by; undefined: it is not accepted. */
function uriOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url?.protocol === "https:") return address;
  if (url?.protocol !== "http:" || !LOOPBACK.test(url.hostname)) return undefined;
  // A configuration has no http: its text is with this page, as that of a file is.
  return `file://${`${url.host}${url.pathname}`.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^-|-$/g, "")}`;
}

/** Makes tools of a REST API: its document, which of its operations, under which name, and with which credentials. */
export default function AddRestApiForm(context: FormContext) {
  const { checker, checks, onClose } = context;
  const api = useApi();
  const proposal = useProposal(context);
  const [url, setUrl] = useState("");
  const [document, setDocument] = useState<ReadDocument>();
  const [isReading, setReading] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [urlError, setUrlError] = useState<string>();
  const [typedName, setTypedName] = useState<string>();
  const [baseURL, setBaseURL] = useState("");
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [credential, setCredential] = useState(NO_CREDENTIAL);
  const [callers, setCallers] = useState(NO_CALLERS);
  const [isTried, setTried] = useState(false);
  const apps = checks.result?.apps ?? [];
  const nameField = useRef<HTMLInputElement>(null);
  const urlField = useRef<HTMLInputElement>(null);
  // What was pressed is disabled or gone by now: the keyboard goes on with what is to be done next.
  useEffect(() => {
    if (document !== undefined) (nameField.current ?? urlField.current)?.focus();
  }, [document]);
  const hasFailed = problem !== undefined || urlError !== undefined;
  useEffect(() => {
    if (hasFailed) urlField.current?.focus();
  }, [hasFailed]);
  const schemes = document?.facts.schemes ?? [];
  const name = typedName ?? (document === undefined ? "" : appNameOf(document.address, apps, document.facts.title));

  const take = async (address: string, uri: string, text: string) => {
    const surroundings = { ...checks.surroundings, files: { ...checks.surroundings.files, [uri]: text } };
    const facts = await checker.ask({ kind: "document", uri, surroundings });
    setDocument({ uri, address, text, facts });
    setOff(new Set());
    setTried(false);
    setBaseURL(facts.serverURL ?? "");
    setTypedName((typed) => typed || undefined);
  };
  const reading = async (read: () => Promise<void>) => {
    setReading(true);
    setProblem(undefined);
    setUrlError(undefined);
    try {
      await read();
    } catch (error) {
      const field = error instanceof ApiProblem ? error.fields.find(({ pointer }) => pointer === "/url") : undefined;
      if (field === undefined) setProblem(error);
      else setUrlError(field.detail);
    } finally {
      setReading(false);
    }
  };
  const readUrl = () =>
    reading(async () => {
      const asked = url.trim();
      const uri = uriOf(asked);
      if (uri === undefined) return setUrlError(ACCEPTED);
      const request = {
        method: "POST",
        path: "/deployment/documents",
        body: { url: asked },
        timeout: TIMEOUT,
      } as const;
      const { body } = await api.send<{ readonly uri: string; readonly text: string }>(request);
      await take(asked, uri, body.text);
    });
  const readFile = (file: File) =>
    reading(async () => {
      if (file.size > MAX_BYTES) throw new Error(`${visibleText(file.name)} is larger than 64 MiB.`);
      const uri = `file://${encodeURIComponent(file.name)}`;
      await take(uri, uri, await file.text());
      setUrl("");
    });
  const tools = document?.facts.tools ?? [];
  const isUsable = document !== undefined && document.facts.problems.length === 0;
  const errors = {
    ...credentialErrors(credential, schemes),
    name: nameError(name, apps),
    baseURL: /^https?:\/\/./.test(baseURL.trim()) ? undefined : "Enter an http or https URL.",
    scopes: scopesError(callers),
    tools: off.size === tools.length ? "Choose at least one tool." : undefined,
  };
  const submit = () => {
    if (!isUsable) return void readUrl();
    setTried(true);
    if (Object.values(errors).some((error) => error !== undefined)) return;
    const operations = new Map(tools.map((tool) => [tool.name, tool.operation]));
    const all = [...operations.values()];
    const isFromDocument = baseURL.trim() === document.facts.serverURL;
    const app = {
      ...{ name: name.trim(), uri: document.uri, credential: credentialOf(credential, schemes) },
      callers: callersOf(callers),
      ...(!isFromDocument && { baseURL: baseURL.trim() }),
      ...listsOf(all, new Set([...off].map((one) => operations.get(one) ?? one))),
    };
    void proposal.propose(
      { kind: "restApi", app },
      `apps[${apps.length}]`,
      `${app.name} is in the text. Publish puts it to use`,
      {
        [document.uri]: document.text,
      },
    );
  };
  return (
    <DialogForm
      onSubmit={(event) => {
        event?.preventDefault();
        submit();
      }}
      submitLabel={isUsable ? (proposal.isWarned ? "Add it all the same" : "Add") : "Read document"}
      isPending={isReading || proposal.isPending}
      problem={problem}
      problemTitle="The document was not read. You can choose the file instead"
      onCancel={onClose}
    >
      <TextInput
        ref={urlField}
        label="URL of the OpenAPI document"
        description="The instance reads it, by https:// or at http://localhost. Or choose the file."
        type="url"
        value={url}
        error={urlError}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
          setDocument(undefined);
        }}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <div className={classes.buttons}>
        <FileButton onChange={(file) => file && void readFile(file)} accept=".json,.yaml,.yml">
          {(props) => (
            <Button {...props} size="xs" variant="default">
              Choose file
            </Button>
          )}
        </FileButton>
      </div>
      {document !== undefined && !isUsable && <Unusable problems={document.facts.problems} />}
      {isUsable && (
        <>
          <TextInput
            ref={nameField}
            label="Name of the app"
            description="Stands in front of the names of its tools."
            value={name}
            error={isTried ? errors.name : undefined}
            onChange={(event) => setTypedName(event.currentTarget.value)}
            autoComplete="off"
          />
          <TextInput
            label="URL of the API"
            type="url"
            value={baseURL}
            error={isTried ? errors.baseURL : undefined}
            onChange={(event) => setBaseURL(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <ToolChoice tools={tools} off={off} onChange={setOff} />
          {isTried && errors.tools !== undefined && (
            <Note tone="bad" isAlert>
              {errors.tools}
            </Note>
          )}
          <LeftOutOperations leftOut={document.facts.leftOut} />
          <CallerFields values={callers} error={isTried ? errors.scopes : undefined} onChange={setCallers} />
          <CredentialFields
            values={credential}
            schemes={schemes}
            errors={isTried ? errors : {}}
            onChange={setCredential}
          />
          <GatewayNote checks={checks} />
        </>
      )}
      <ProposalNotes proposal={proposal} />
    </DialogForm>
  );
}

function Unusable({ problems }: Pick<DocumentFacts, "problems">) {
  return (
    <Note tone="bad" isAlert title="The document cannot be used">
      <ul>
        {problems.slice(0, 10).map((problem) => (
          <li key={problem}>{visibleText(problem)}</li>
        ))}
      </ul>
    </Note>
  );
}
