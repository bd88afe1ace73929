import { useState } from "react";
import type { Checker, CheckState } from "../../configuration-check/checker.ts";
import type { CheckMessage, CheckResult, Edit } from "../../configuration-check/protocol.ts";

/** What a form gets of the page. */
export interface FormContext {
  readonly checker: Checker;
  readonly checks: CheckState;
  readonly text: string;
  readonly onClose: () => void;
  /** The text that the form made of it, and what it is called. */
  readonly onApply: (text: string, done: string) => void;
}

export interface Proposal {
  readonly isPending: boolean;
  /** What the checks say of what the form would write. */
  readonly messages: readonly CheckMessage[];
  readonly error: Error | undefined;
  /** The same once more applies it: there are warnings, and no mistakes. */
  readonly isWarned: boolean;
  /** @param place what the form is about: `apps[0]`; empty: what it changes may matter anywhere */
  readonly propose: (
    edit: Edit,
    place: string,
    done: string,
    files?: Readonly<Record<string, string>>,
  ) => Promise<void>;
}

/** What a form would write is checked before it is put into the text, as the text itself is. */
export function useProposal({ checker, checks, text, onApply }: FormContext): Proposal {
  const [isPending, setPending] = useState(false);
  const [messages, setMessages] = useState<readonly CheckMessage[]>([]);
  const [error, setError] = useState<Error>();
  const [warned, setWarned] = useState<string>();
  const resultOf = (one: string, files: Readonly<Record<string, string>>): Promise<CheckResult> => {
    const { surroundings } = checks;
    return checker.ask({
      ...{ kind: "try", text: one },
      surroundings: { ...surroundings, files: { ...surroundings.files, ...files } },
    });
  };
  const propose: Proposal["propose"] = async (edit, place, done, files = {}) => {
    setPending(true);
    setError(undefined);
    try {
      const made = await checker.ask({ kind: "edit", text, edit });
      if ("refused" in made) throw new Error(made.refused);
      const before = checks.isCurrent && checks.result ? checks.result : await resultOf(text, {});
      const found = newMessages(before, await resultOf(made.text, files), place);
      setMessages(found);
      const isMistaken = found.some(({ tone }) => tone === "mistake");
      if (!isMistaken && (found.length === 0 || warned === made.text)) {
        if (Object.keys(files).length > 0) checker.give({ files: { ...checks.surroundings.files, ...files } });
        onApply(made.text, done);
      } else setWarned(isMistaken ? undefined : made.text);
    } catch (cause) {
      setMessages([]);
      setError(cause as Error);
    } finally {
      setPending(false);
    }
  };
  return { isPending, messages, error, isWarned: warned !== undefined && messages.length > 0, propose };
}

/** Of the place, of documents and of the gateway. What was wrong before stands on the page already. */
function newMessages(before: CheckResult, after: CheckResult, place: string): readonly CheckMessage[] {
  const keyOf = ({ file, path, message }: CheckMessage) => JSON.stringify([file, path, message]);
  const known = new Set(before.messages.map(keyOf));
  const isItsOwn = ({ isHere, path }: CheckMessage) =>
    !isHere || place === "" || path === place || path.startsWith(`${place}.`) || path.startsWith("mcpProvider");
  return after.messages.filter((message) => !known.has(keyOf(message)) && isItsOwn(message));
}
