import type { TriedStep } from "../../configuration-trial/protocol.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { DecidedStep } from "./decided-step.tsx";

/** The steps of one decision, in their order. */
export function StepsTable({ steps }: { readonly steps: readonly TriedStep[] }) {
  return <DataTable label="Steps of the decision" columns={COLUMNS} rows={numbered(steps)} keyOf={({ key }) => key} />;
}

interface Row extends TriedStep {
  readonly key: string;
}

function numbered(steps: readonly TriedStep[]): readonly Row[] {
  return steps.map((step, index) => ({ ...step, key: String(index) }));
}

const COLUMNS: readonly Column<Row>[] = [
  {
    ...{ id: "step", header: "Step", isName: true, width: "28%" },
    cell: ({ step, name }) => <ForeignText text={name === undefined ? step : `${step}: ${name}`} />,
  },
  { id: "decision", header: "Decision", cell: (step) => <DecidedStep step={step} /> },
];
