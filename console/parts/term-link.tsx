import { useContext } from "react";
import { QuestionIcon } from "../icons.tsx";
import { SessionContext } from "../session/context.ts";
import classes from "./term-link.module.css";
import { explanationOf, TERMS, type Term } from "./terms.ts";

/** Leads to what the documentation says of a word. Nothing where the instance names no documentation. */
export function TermLink({ term }: { readonly term: Term | undefined }) {
  const documentation = useContext(SessionContext)?.instance?.documentationURL;
  if (term === undefined || documentation === undefined) return null;
  const name = `What is ${TERMS[term].what} (documentation)`;
  return (
    <a
      className={classes.link}
      href={explanationOf(term, documentation)}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={name}
      title={name}
    >
      <QuestionIcon size={14} />
    </a>
  );
}
