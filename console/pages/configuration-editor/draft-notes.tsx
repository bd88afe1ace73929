import { Button } from "@mantine/core";
import { Note } from "../../parts/note.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type DraftState, isOthers } from "./use-draft.ts";

export interface DraftNotesProps {
  readonly draft: DraftState;
  readonly onReadAgain: () => void;
  readonly onOverwrite: () => void;
}

/** What went wrong with saving: above all, that somebody else was faster. */
export function DraftNotes({ draft: { error }, onReadAgain, onOverwrite }: DraftNotesProps) {
  if (!isOthers(error)) return <ProblemNote error={error} title="The draft was not saved" />;
  return (
    <Note
      tone="warn"
      isAlert
      title="Somebody else has saved the draft"
      actions={
        <>
          <Button size="xs" variant="default" onClick={onReadAgain}>
            Read theirs
          </Button>
          <Button size="xs" color="red" onClick={onOverwrite}>
            Save mine over it
          </Button>
        </>
      }
    >
      Your text is still here. If you read theirs, yours can be brought back with undo; download it to be sure.
    </Note>
  );
}
