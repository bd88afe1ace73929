import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { Proposal, Publication } from "../../../lib/management/schemas/deployment.ts";
import { EVERYTHING } from "../../api/keys.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { DialogForm } from "../../parts/form-dialog.tsx";
import { RestartCheckbox } from "./restart-checkbox.tsx";

interface RollBackFormProps {
  /** Whose contents are published again. */
  readonly to: number;
  /** The number that the publication gets. */
  readonly revision: number;
  /** Another owner has to approve it. */
  readonly isProposal: boolean;
  readonly onClose: () => void;
}

interface RollBack {
  readonly to: number;
  readonly revision: number;
  readonly reason: string;
  readonly restart: boolean;
  readonly force: readonly string[];
}

/** Publishes the contents of an earlier revision again, where instances sign. */
export function RollBackForm({ to, revision, isProposal, onClose }: RollBackFormProps) {
  const announce = useAnnounce();
  const [reason, setReason] = useState("");
  const [isMissing, setMissing] = useState(false);
  const [words, setWords] = useState("");
  const [restart, setRestart] = useState(false);
  const rollingBack = useSend<Publication | Proposal, RollBack>(
    (body) => ({ method: "POST", path: "/deployment/rollback", body }),
    {
      refreshes: EVERYTHING,
      onDone: ({ body }) => {
        const done = isProposal ? "proposed" : "published again";
        announce(`Revision ${to} is ${done}, as revision ${body.revision}`);
        onClose();
      },
    },
  );
  const asksWords = rollingBack.error?.fields.some(({ pointer }) => pointer === "/force") === true || words !== "";
  return (
    <DialogForm
      onSubmit={(event) => {
        event?.preventDefault();
        const why = reason.trim();
        setMissing(why === "");
        const force = words.split(",").flatMap((word) => (word.trim() === "" ? [] : [word.trim()]));
        if (why !== "") rollingBack.mutate({ to, revision, reason: why, restart, force });
      }}
      submitLabel={isProposal ? `Propose to go back to revision ${to}` : `Go back to revision ${to}`}
      isPending={rollingBack.isPending}
      problem={rollingBack.error}
      problemTitle={isProposal ? "It was not proposed" : "It was not published again"}
      onCancel={onClose}
    >
      <p>
        Its contents are published again as revision {revision}
        {isProposal ? " once another owner than you has approved it." : "."} Running instances take them over; nothing
        that was published is lost.
      </p>
      <TextInput
        label="Reason"
        description="For the list of publications and the audit log."
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={isMissing && reason.trim() === "" ? "Say why: others will ask." : undefined}
        maxLength={500}
        autoComplete="off"
      />
      {asksWords && (
        <TextInput
          label="Words for what it takes away"
          description="As the message above names them, separated by commas."
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <RestartCheckbox isChecked={restart} onChange={setRestart} />
    </DialogForm>
  );
}
