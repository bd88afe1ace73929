import { Button, NativeSelect } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { AppPins, HeldTool } from "../../../lib/management/schemas/pins.ts";
import { useConnection } from "../../api/context.ts";
import { path } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { DiffLines } from "../../parts/diff-lines.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { type DiffLine, lineDiff } from "../../parts/line-diff.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import type { Subject } from "../../parts/use-subject.ts";
import { useSession } from "../../session/context.ts";
import classes from "./held-tool-dialog.module.css";
import type { HeldVersion } from "./held-version.ts";

/** A held version beside the approved ones; owners decide about it. */
export function HeldToolDialog({ looking }: { readonly looking: Subject<HeldVersion> }) {
  const { gate } = useConnection();
  const leave = () => {
    if (gate.need() === undefined) looking.close();
  };
  return (
    <Dialog opened={looking.isOpen} onClose={leave} title="Held tool" size="xl" closeButtonProps={CLOSE}>
      {looking.value && <Comparison version={looking.value} onClose={looking.close} />}
    </Dialog>
  );
}

const CLOSE = { "aria-label": "Close" } as const;

interface ComparisonProps {
  readonly version: HeldVersion;
  readonly onClose: () => void;
}

function Comparison({ version: { app, digest }, onClose }: ComparisonProps) {
  const { isOwner } = useSession();
  const held = useRead<HeldTool>(path`/pins/${app}/held/${digest}`);
  return (
    <DataState
      data={held.data?.body}
      error={held.error}
      refetch={() => void held.refetch()}
      problemTitle="The held version could not be read"
    >
      {(tool) => (
        <div className={classes.comparison}>
          <Definitions held={tool} />
          {isOwner && <Decision held={tool} onClose={onClose} />}
        </div>
      )}
    </DataState>
  );
}

function Definitions({ held: { app, tool, definition, approved } }: { readonly held: HeldTool }) {
  const [chosen, setChosen] = useState<string>();
  const version = approved.find(({ digest }) => digest === chosen) ?? approved[0];
  return (
    <>
      <p>
        <strong>
          <ForeignText text={tool} />
        </strong>{" "}
        of <ForeignText text={app} />. {version === undefined ? "No version of it is approved." : COMPARED}
      </p>
      {approved.length > 1 && (
        <NativeSelect
          label="Compared with"
          data={approved.map(({ digest, at }) => ({ value: digest, label: `Approved ${at}, ${digest.slice(0, 8)}` }))}
          value={version?.digest ?? ""}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      {version !== undefined && version.definition === undefined && (
        <p>The text of the approved version is not kept, so the held one stands here in full.</p>
      )}
      {definition === undefined ? (
        <p>The held definition is too long to be kept. Look at it at the server before you approve it.</p>
      ) : (
        <DefinitionDiff before={version?.definition} after={definition} />
      )}
    </>
  );
}

const COMPARED = "Lines with − are of the approved version alone, lines with + of the held one.";

interface DefinitionDiffProps {
  /** The approved definition; absent: there is none, or it is not kept. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What a held definition changes, line by line. Texts that are too long to be compared stand one after the other. */
function DefinitionDiff({ before, after }: DefinitionDiffProps) {
  const lines = useMemo(() => (before === undefined ? sameLines(after) : lineDiff(before, after)), [before, after]);
  if (lines !== undefined)
    return <DiffLines label={before === undefined ? "Definition" : "Difference"} lines={lines} />;
  return (
    <>
      <p>The definitions are too long to be compared line by line. First the held one, then the approved one.</p>
      <DiffLines label="Held definition" lines={sameLines(after)} />
      <DiffLines label="Approved definition" lines={sameLines(before ?? "")} />
    </>
  );
}

function sameLines(text: string): readonly DiffLine[] {
  return text.split("\n").map((line) => ({ kind: "same", text: line }));
}

function Decision({ held, onClose }: { readonly held: HeldTool; readonly onClose: () => void }) {
  const approve = useVerdict(held, "approve", "Approved", onClose);
  const refuse = useVerdict(held, "refuse", "Refused", onClose);
  return (
    <>
      <ProblemNote error={approve.error ?? refuse.error} title="Nothing was decided" />
      <div className={classes.actions}>
        {held.refused === undefined && (
          <Button
            variant="default"
            onClick={() => {
              approve.reset();
              refuse.send();
            }}
            loading={refuse.isPending}
            disabled={approve.isPending}
          >
            Refuse
          </Button>
        )}
        <Button
          onClick={() => {
            refuse.reset();
            approve.send();
          }}
          loading={approve.isPending}
          disabled={refuse.isPending}
        >
          Approve
        </Button>
      </div>
    </>
  );
}

/** Sends the digest that is shown. What is held instead is read again when that one is held no longer. */
function useVerdict({ app, digest }: HeldTool, verdict: "approve" | "refuse", done: string, onClose: () => void) {
  const announce = useAnnounce();
  const queries = useQueryClient();
  const send = useSend<AppPins>(() => ({ method: "POST", path: path`/pins/${app}/${verdict}`, body: { digest } }), {
    refreshes: ["/pins", "/tools"],
    onDone: () => {
      announce(done);
      onClose();
    },
  });
  const readAgain = () => void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === "/pins" });
  return {
    error: send.error,
    isPending: send.isPending,
    reset: send.reset,
    send: () => send.mutate(undefined, { onError: readAgain }),
  };
}
