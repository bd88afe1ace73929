import { useState } from "react";
import { useSearchParams } from "wouter";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import type { Policies, PolicyInUse, PolicySource } from "../../policy-test/protocol.ts";
import type { Tester } from "../../policy-test/tester.ts";
import { ChoicePanel, type Chosen, NEW_CEL, NEW_REGO } from "./choice-panel.tsx";
import { PolicyPanel } from "./policy-panel.tsx";
import { RecordsPanel } from "./records-panel.tsx";
import { useExpressions } from "./use-expressions.ts";
import { type Tested, useTested, useTester } from "./use-tester.ts";
import { WrittenPanel } from "./written-panel.tsx";

/** The chosen policy in an editor, and what it says. */
export function Testing() {
  const tester = useTester();
  const { tested, error, retry } = useTested(tester);
  if (tested !== undefined) return <Bench tester={tester} tested={tested} />;
  if (error !== undefined) return <ProblemNote error={error} title="The policies could not be read" onRetry={retry} />;
  return <Waiting />;
}

interface BenchProps {
  readonly tester: Tester;
  readonly tested: Tested;
}

function Bench({ tester, tested }: BenchProps) {
  const [named, setNamed] = useNamed();
  const first = tested.apps.find(({ policies }) => policies.length > 0) ?? tested.apps[0];
  const listed = tested.apps.find(({ name }) => name === named.app) ?? first;
  const { app, error, read, retry } = useExpressions(listed, tested);
  const [edited, setEdited] = useState<PolicySource>();
  if (listed === undefined)
    return <Note title="There is no app yet">An API or an MCP server that agents use is one.</Note>;
  if (app === undefined) return <Waiting />;
  const places = [...app.policies.map(({ place }) => place), NEW_CEL, NEW_REGO];
  const place = places.find((one) => one === named.place) ?? places[0] ?? NEW_CEL;
  const inUse = app.policies.find((one) => one.place === place);
  const key = `${app.name}/${place}`;
  const policies = edited && bothOf(inUse, edited);
  return (
    <>
      <ChoicePanel
        tested={tested}
        app={app}
        place={place}
        onReadExpressions={read}
        onChoose={(next) => {
          setEdited(undefined);
          setNamed(next);
        }}
      />
      <ProblemNote error={error} title="The expressions in use could not be read" onRetry={retry} />
      <PolicyPanel
        key={key}
        tester={tester}
        app={app.name}
        inUse={inUse}
        language={inUse?.language ?? (place === NEW_REGO ? "rego" : "cel")}
        canDraft={tested.document === "there" || tested.document === "partly"}
        onEdited={setEdited}
      />
      <RecordsPanel key={`${key}/records`} tester={tester} app={app.name} tools={tested.tools} policies={policies} />
      <WrittenPanel key={`${key}/written`} tester={tester} app={app.name} tools={tested.tools} policies={policies} />
    </>
  );
}

function Waiting() {
  return (
    <Panel>
      <SkeletonLines lines={6} />
    </Panel>
  );
}

/** The address holds what is chosen, so that it can be passed on, and that the way back from a record leads here. */
function useNamed(): readonly [Partial<Chosen>, (chosen: Chosen) => void] {
  const [parameters, setParameters] = useSearchParams();
  const [app, place] = [parameters.get("app"), parameters.get("policy")];
  return [
    { ...(app !== null && { app }), ...(place !== null && { place }) },
    (next) =>
      setParameters({ app: next.app, ...(next.place !== undefined && { policy: next.place }) }, { replace: true }),
  ];
}

/** Undefined: what is in use is not here, so that nothing can be compared with it. */
function bothOf(inUse: PolicyInUse | undefined, edited: PolicySource): Policies<PolicySource> | undefined {
  if (inUse === undefined) return { inUse: { language: "none" }, edited };
  return inUse.source && { inUse: inUse.source, edited };
}
