import { useEffect, useRef } from "react";
import { visibleText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import classes from "./forms.module.css";
import type { Proposal } from "./use-proposal.ts";

/** What would be wrong with what the form writes, and why it was not written. */
export function ProposalNotes({ proposal: { messages, error } }: { readonly proposal: Proposal }) {
  const isMistaken = messages.some(({ tone }) => tone === "mistake");
  const notes = useRef<HTMLDivElement>(null);
  // The button that was pressed is disabled meanwhile, so that the keyboard goes on here.
  useEffect(() => {
    if (error !== undefined || messages.length > 0) notes.current?.focus();
  }, [error, messages]);
  return (
    <div ref={notes} tabIndex={-1} className={classes.notes}>
      {error !== undefined && (
        <Note tone="bad" isAlert title="The text was not changed">
          {error.message}
        </Note>
      )}
      {messages.length > 0 && (
        <Note tone={isMistaken ? "bad" : "warn"} isAlert title={isMistaken ? MISTAKEN : WARNED}>
          <ul>
            {messages.slice(0, MOST).map(({ path, message }) => (
              <li key={`${path} ${message}`}>{visibleText(path === "" ? message : `${path}: ${message}`)}</li>
            ))}
          </ul>
          {messages.length > MOST && <p>And {messages.length - MOST} more.</p>}
        </Note>
      )}
    </div>
  );
}

const MISTAKEN = "It would be a mistake. The text was not changed";
const WARNED = "The checks warn of it. Nothing is changed yet";
const MOST = 10;
