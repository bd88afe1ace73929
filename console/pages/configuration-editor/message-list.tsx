import type { CheckMessage } from "../../configuration-check/protocol.ts";
import { DangerIcon, WarningIcon } from "../../icons.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import classes from "./editor.module.css";

export interface MessageListProps {
  readonly messages: readonly CheckMessage[];
  readonly onGoTo: (line: number, column: number) => void;
}

/** Mistakes and warnings in words, each with the way to its line. */
export function MessageList({ messages, onGoTo }: MessageListProps) {
  const numbered = messages.map((message, index) => ({ message, key: `message ${index}` }));
  return (
    <ul className={classes.messages} aria-label="Mistakes and warnings">
      {numbered.map(({ message, key }) => (
        <li key={key} className={classes.message} data-tone={message.tone}>
          <Words message={message} onGoTo={onGoTo} />
        </li>
      ))}
    </ul>
  );
}

function Words({ message: one, onGoTo }: Pick<MessageListProps, "onGoTo"> & { readonly message: CheckMessage }) {
  const { tone, isHere, file, line, column, path, message } = one;
  const Icon = tone === "mistake" ? DangerIcon : WarningIcon;
  return (
    <>
      <Icon className={classes.icon} />
      {isHere ? (
        <button type="button" className={classes.place} onClick={() => onGoTo(line, column)}>
          Line {line}
        </button>
      ) : (
        <span className={classes.elsewhere}>
          <ForeignText text={`${file}:${line}`} />
        </span>
      )}
      <span className={classes.words}>
        <span className={classes.hidden}>{tone === "mistake" ? "Mistake: " : "Warning: "}</span>
        <ForeignText text={path === "" ? message : `${path}: ${message}`} />
      </span>
    </>
  );
}
