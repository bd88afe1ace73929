import { Button } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { CreatedInvitation } from "../../../lib/management/schemas/invitations.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Note } from "../../parts/note.tsx";
import { Time } from "../../parts/time.tsx";
import { useSession } from "../../session/context.ts";
import classes from "./dialogs.module.css";

export interface InvitationLinkProps {
  readonly invitation: CreatedInvitation;
  readonly onClose: () => void;
}

/** The link, what it does, for how long, and whether a mail has it or the person here sends it. */
export function InvitationLink({ invitation, onClose }: InvitationLinkProps) {
  const { email, role, link, expiresAt, sent } = invitation;
  const { organization } = useSession();
  const words = useRef<HTMLParagraphElement>(null);
  // The button that was pressed is gone, and the focus with it.
  useEffect(() => words.current?.focus(), []);
  return (
    <div className={classes.stack}>
      <p ref={words} tabIndex={-1} className={classes.first}>
        It makes whoever opens it {role === "owner" ? "an owner" : "a member"} of{" "}
        <strong>
          <ForeignText text={organization.name} />
        </strong>
        , once, until <Time value={expiresAt} />.
      </p>
      <CodeBlock label="invitation link" code={link} isWrapped />
      {sent === true ? (
        <Note tone="good" title="The link was sent by e-mail">
          To{" "}
          <strong>
            <ForeignText text={email} />
          </strong>
          . If it does not arrive, send the link yourself. It is not shown again.
        </Note>
      ) : (
        <Note tone="warn" title={sent === false ? "The mail could not be sent" : "Countersign sends no mail"}>
          Copy the link now, it is not shown again. Send it to{" "}
          <strong>
            <ForeignText text={email} />
          </strong>{" "}
          by a way that nobody else reads.
        </Note>
      )}
      <div className={classes.actions}>
        <CopyButton value={link} label="Copy link" isWide />
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
