import type { ReactNode } from "react";
import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";

export interface CodeBlockProps {
  readonly code: string;
  /** What it is: "curl", "Fingerprint". Names it for screen readers and the button that copies. */
  readonly label: string;
  /** What is shown for it: `code` itself unless stated. */
  readonly shown?: ReactNode;
  /** Long lines wrap instead of scrolling: for links and ids. */
  readonly isWrapped?: boolean;
}

/** Text to copy, in the typewriter's letters. */
export function CodeBlock({ code, label, shown, isWrapped }: CodeBlockProps) {
  return (
    <section className={classes.block} aria-label={label}>
      {/* It scrolls, so that it must be reached with the keyboard. */}
      <pre className={classes.code} data-wrapped={isWrapped || undefined} {...(!isWrapped && SCROLLS)}>
        <code>{shown ?? code}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} label={`Copy ${label}`} />
      </div>
    </section>
  );
}

const SCROLLS = { tabIndex: 0 } as const;
