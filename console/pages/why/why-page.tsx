import { useEffect, useRef, useState } from "react";
import type { CallExplanation } from "../../../lib/management/schemas/explanations.ts";
import { useApi } from "../../api/context.ts";
import { Note } from "../../parts/note.tsx";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { callOf, useChoice } from "./choice.ts";
import { type Asked, WhyForm } from "./why-form.tsx";
import { WhyView } from "./why-view.tsx";

/** Why a call is allowed or denied, step by step, with the configuration in use. */
export function WhyPage() {
  return (
    <PageFrame
      title="Why?"
      term="policy"
      description="What the gateway would decide on a call, step by step, with the configuration in use. Nothing is called or recorded; servers of policies are asked."
    >
      <OwnersOnly instead={<Note title="Explanations are for owners">They show the rules that decide.</Note>}>
        <Explaining />
      </OwnersOnly>
    </PageFrame>
  );
}

function Explaining() {
  const api = useApi();
  const [choice, setChoice] = useChoice();
  const [isAsking, setAsking] = useState(false);
  const [explained, setExplained] = useState<CallExplanation>();
  const [failed, setFailed] = useState<unknown>();
  const isAsked = useRef(false);
  const ask = async ({ choice: chosen, body }: Asked) => {
    setChoice(chosen);
    setAsking(true);
    setFailed(undefined);
    try {
      setExplained((await api.send<CallExplanation>({ method: "POST", path: "/explanations", body })).body);
    } catch (error) {
      setExplained(undefined);
      setFailed(error);
    } finally {
      setAsking(false);
    }
  };
  // Whoever comes by a link has chosen already.
  useEffect(() => {
    if (isAsked.current || choice.tool === "" || choice.client === "") return;
    isAsked.current = true;
    void ask({ choice, body: callOf(choice) });
  });
  return (
    <>
      <Panel title="The call">
        <WhyForm choice={choice} isAsking={isAsking} onAsk={(asked) => void ask(asked)} />
      </Panel>
      <ProblemNote error={failed} title="It could not be explained" />
      {explained !== undefined && (
        <Panel title="The decision">
          <WhyView explained={explained} />
        </Panel>
      )}
    </>
  );
}
