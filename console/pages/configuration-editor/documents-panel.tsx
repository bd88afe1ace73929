import { Button, FileButton } from "@mantine/core";
import type { NamedDocument, Surroundings } from "../../configuration-check/protocol.ts";
import { PlusIcon } from "../../icons.tsx";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import classes from "./editor.module.css";

export interface DocumentsPanelProps {
  /** Undefined: they are not known yet. */
  readonly documents: readonly NamedDocument[] | undefined;
  readonly surroundings: Surroundings;
  readonly onGive: (change: Partial<Surroundings>) => void;
  /** What could not be taken. */
  readonly onProblem: (words: string) => void;
}

/** Bytes of a file that the page takes, as `countersign validate` reads at most. */
const MAX_BYTES = 64 * 1024 * 1024;

/** OpenAPI documents and plans of policies that the configuration names: the browser gets them from the person. */
export function DocumentsPanel({
  documents: known,
  surroundings: { files, mayFetch },
  onGive,
  onProblem,
}: DocumentsPanelProps) {
  const documents = known ?? [];
  const add = async (chosen: readonly File[], uri?: string) => {
    const given: Record<string, string> = {};
    for (const file of chosen) {
      if (file.size > MAX_BYTES) onProblem(`${file.name} is larger than 64 MiB.`);
      else given[uri ?? uriOf(file.name, documents)] = await file.text();
    }
    onGive({ files: { ...files, ...given } });
  };
  const canFetch = !mayFetch && documents.some(({ uri, state }) => state === "missing" && uri.startsWith("https://"));
  return (
    <Panel
      title="Documents"
      description="Files that the configuration names. They stay in this page, until you leave it."
      actions={
        <>
          {canFetch && (
            <Button variant="default" size="xs" onClick={() => onGive({ mayFetch: true })}>
              Fetch from their hosts
            </Button>
          )}
          <FileButton multiple onChange={(chosen) => void add(chosen)}>
            {(props) => (
              <Button {...props} variant="default" size="xs" leftSection={<PlusIcon size={14} />}>
                Add files
              </Button>
            )}
          </FileButton>
        </>
      }
    >
      {known === undefined ? (
        <SkeletonLines lines={1} />
      ) : documents.length === 0 ? (
        <p className={classes.quiet}>It names none.</p>
      ) : (
        <ul className={classes.documents} aria-label="Documents">
          {documents.map((document) => (
            <li key={document.uri} className={classes.document}>
              <span className={classes.words}>
                <ForeignText text={nameOf(document.uri)} />
              </span>
              <DocumentState document={document} />
              <FileButton onChange={(file) => file && void add([file], document.uri)}>
                {(props) => (
                  <Button
                    {...props}
                    variant="default"
                    size="xs"
                    aria-label={`Choose file: ${visibleText(nameOf(document.uri))}`}
                  >
                    Choose file
                  </Button>
                )}
              </FileButton>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function DocumentState({ document: { state } }: { readonly document: NamedDocument }) {
  if (state === "missing") return <StatusBadge tone="bad">Missing</StatusBadge>;
  if (state === "in-use") return <StatusBadge tone="neutral">As in use</StatusBadge>;
  return <StatusBadge tone="good">{state === "given" ? "Added" : "Fetched"}</StatusBadge>;
}

function nameOf(uri: string): string {
  return uri.startsWith("file://") ? uri.slice("file://".length) : uri;
}

/** The name that the configuration has for a file of this name, wherever it says that it lies. */
function uriOf(name: string, documents: readonly NamedDocument[]): string {
  const named = documents.find(({ uri }) => nameOf(uri).split(/[/?]/).includes(name) && nameOf(uri).endsWith(name));
  return named?.uri ?? `file://${name}`;
}
