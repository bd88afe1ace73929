import { useState } from "react";
import { useSearchParams } from "wouter";
import { SkeletonLines } from "../../parts/data-state.tsx";
import { Note } from "../../parts/note.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import type { Policies, PolicyInUse, PolicySource } from "../../policy-test/protocol.ts";
import type { Tester } from "../../policy-test/tester.ts";
import { ChoicePanel, type Chosen } from "./choice-panel.tsx";
import { NEW_CEL, NEW_REGO } from "./places.ts";
import { PolicyPanel } from "./policy-panel.tsx";
import { RecordsPanel } from "./records-panel.tsx";
import { type Tested, useTested, useTester } from "./use-tester.ts";
import { WrittenPanel } from "./written-panel.tsx";

/** The chosen policy in an editor, and what it says. */
export function Testing() {
  const tester = useTester();
  const { tested, error } = useTested(tester);
  if (tested !== undefined) return <Bench tester={tester} tested={tested} />;
  if (error !== undefined) return <ProblemNote error={error} title="The policies could not be read" />;
  return (
    <Panel>
      <SkeletonLines lines={6} />
    </Panel>
  );
}

interface BenchProps {
  readonly tester: Tester;
  readonly tested: Tested;
}

function Bench({ tester, tested }: BenchProps) {
  const { apps, tools } = tested;
  const [chosen, setChosen] = useChosen(tested);
  const [edited, setEdited] = useState<PolicySource>();
  const app = apps.find(({ name }) => name === chosen.app);
  if (app === undefined)
    return <Note title="There is no app yet">An API or an MCP server that agents use is one.</Note>;
  const inUse = app.policies.find(({ place }) => place === chosen.place);
  const key = `${chosen.app}/${chosen.place}`;
  const policies = edited && bothOf(inUse, edited);
  return (
    <>
      <ChoicePanel
        tested={tested}
        chosen={chosen}
        onChoose={(next) => {
          setEdited(undefined);
          setChosen(next);
        }}
      />
      <PolicyPanel
        key={key}
        tester={tester}
        app={app.name}
        inUse={inUse}
        language={inUse?.language ?? (chosen.place === NEW_REGO ? "rego" : "cel")}
        canDraft={tested.document === "there" || tested.document === "partly"}
        onEdited={setEdited}
      />
      <RecordsPanel key={`${key}/records`} tester={tester} app={app.name} tools={tools} policies={policies} />
      <WrittenPanel key={`${key}/written`} tester={tester} app={app.name} tools={tools} policies={policies} />
    </>
  );
}

/** The address holds it, so that it can be passed on, and that the way back from a record leads here. */
function useChosen(tested: Tested): readonly [Chosen, (chosen: Chosen) => void] {
  const [parameters, setParameters] = useSearchParams();
  const named = { app: parameters.get("app"), place: parameters.get("policy") };
  const app = tested.apps.find(({ name }) => name === named.app);
  const places = [NEW_CEL, NEW_REGO, ...(app?.policies ?? []).map(({ place }) => place)];
  const place = places.find((one) => one === named.place) ?? app?.policies[0]?.place ?? NEW_CEL;
  return [
    app === undefined ? firstOf(tested) : { app: app.name, place },
    (next) => setParameters({ app: next.app, policy: next.place }, { replace: true }),
  ];
}

/** An app that has a policy, as that is what people come for. */
function firstOf({ apps }: Tested): Chosen {
  const app = apps.find(({ policies }) => policies.length > 0) ?? apps[0];
  return { app: app?.name ?? "", place: app?.policies[0]?.place ?? NEW_CEL };
}

/** Undefined: what is in use is not here, so that nothing can be compared with it. */
function bothOf(inUse: PolicyInUse | undefined, edited: PolicySource): Policies<PolicySource> | undefined {
  if (inUse === undefined) return { inUse: { language: "none" }, edited };
  return inUse.source && { inUse: inUse.source, edited };
}
