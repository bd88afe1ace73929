import { Button } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { ConfigurationDocument, Deployment, Draft } from "../../../lib/management/schemas/deployment.ts";
import { useApi } from "../../api/context.ts";
import { useRead } from "../../api/use-read.ts";
import type { EditedPolicy } from "../../configuration-check/protocol.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { useChecker } from "../configuration-editor/use-checker.ts";
import { ifThere } from "../configuration-editor/use-start.ts";

export interface DraftButtonProps {
  readonly policy: EditedPolicy;
  readonly isReady: boolean;
  /** Why the draft was not changed; undefined: nothing is wrong, as far as is known. */
  readonly onFailed: (error: unknown) => void;
}

/** Puts the text at its place in the draft that owners share, and leads there. Where the instance follows no published configuration, there is none. */
export function DraftButton({ policy, isReady, onFailed }: DraftButtonProps) {
  const api = useApi();
  const [, navigate] = useLocation();
  const announce = useAnnounce();
  const { checker } = useChecker();
  const deployment = useRead<Deployment>("/deployment");
  const [isPending, setPending] = useState(false);
  if (deployment.data === undefined) return null;
  const use = async () => {
    setPending(true);
    onFailed(undefined);
    try {
      const [draft, inUse] = await Promise.all([
        ifThere<Draft>(api, "/deployment/draft"),
        ifThere<ConfigurationDocument>(api, "/deployment/document"),
      ]);
      const before = draft?.text ?? (await checker.ask({ kind: "render", document: inUse?.document ?? {} }));
      const made = await checker.ask({ kind: "edit", text: before, edit: { kind: "policy", policy } });
      if ("refused" in made) throw new Error(made.refused);
      await api.send({
        ...{ method: "PUT", path: "/deployment/draft" },
        body: { text: made.text, basedOn: draft?.basedOn ?? inUse?.revision },
        ifMatch: draft && `"${draft.version}"`,
      });
      announce("The draft has the policy");
      navigate("/gateway/configuration/edit");
    } catch (error) {
      onFailed(error);
    } finally {
      setPending(false);
    }
  };
  return (
    <Button disabled={!isReady} loading={isPending} onClick={() => void use()}>
      Use in the draft
    </Button>
  );
}
