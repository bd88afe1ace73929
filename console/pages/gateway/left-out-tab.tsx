import { useMemo } from "react";
import type { LeftOutOperation } from "../../../lib/management/schemas/tools.ts";
import { CheckIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { LEFT_OUT_REASONS } from "./left-out-reasons.ts";
import { ListFilter } from "./list-filter.tsx";
import { Pager, rowsOf } from "./pager.tsx";
import { filterLeftOut } from "./tool-filter.ts";
import classes from "./tools-tab.module.css";
import { NothingFound, type ToolsAnswer } from "./tools-tab.tsx";
import { useGatewayAddress } from "./use-gateway-address.ts";

/** Operations that agents do not see, and why. */
export function LeftOutTab({ tools }: { readonly tools: ToolsAnswer }) {
  return (
    <Panel
      flush
      title="Operations that became no tool"
      description="Agents do not see them. What the OpenAPI document has wrong can be mended there; a new version of it takes effect with the configuration."
    >
      <DataState
        data={tools.data?.body}
        error={tools.error}
        refetch={() => void tools.refetch()}
        problemTitle="The operations could not be read"
        isEmpty={({ leftOut }) => leftOut.length === 0}
        empty={
          <EmptyState icon={<CheckIcon size={20} />} title="Nothing was left out">
            Every operation that the configuration wants of your organization's REST APIs is a tool. Operations that it
            excludes are not listed.
          </EmptyState>
        }
      >
        {({ leftOut }) => <Operations leftOut={leftOut} />}
      </DataState>
    </Panel>
  );
}

function Operations({ leftOut }: { readonly leftOut: readonly LeftOutOperation[] }) {
  const { filters, change } = useGatewayAddress();
  const { text, app } = filters;
  const apps = useMemo(() => leftOut.map((operation) => operation.app), [leftOut]);
  const found = useMemo(() => filterLeftOut(leftOut, { text, app }), [leftOut, text, app]);
  const { shown, page } = rowsOf(found, filters.page);
  return (
    <>
      <ListFilter noun="operations" placeholder="Operation, reason" apps={apps} />
      {found.length === 0 ? (
        <NothingFound noun="operation" onClear={() => change({ text: "", app: "" })} />
      ) : (
        <DataTable
          label="Operations that became no tool"
          columns={COLUMNS}
          rows={shown}
          keyOf={({ app: of, operation, reason }) => `${of} ${operation} ${reason}`}
        />
      )}
      <Pager
        count={found.length}
        page={page}
        one="operation"
        many="operations"
        onPage={(next) => change({ page: next })}
      />
    </>
  );
}

const COLUMNS: readonly Column<LeftOutOperation>[] = [
  {
    id: "operation",
    header: "Operation",
    isName: true,
    cell: ({ operation }) => (
      <code className={classes.operation}>
        <ForeignText text={operation} />
      </code>
    ),
  },
  { id: "app", header: "App", width: "16%", cell: ({ app }) => <ForeignText text={app} /> },
  {
    id: "reason",
    header: "Why it is no tool",
    width: "46%",
    cell: ({ reason, detail }) => (
      <div>
        {LEFT_OUT_REASONS[reason]}
        {detail !== undefined && (
          <div className={classes.title}>
            <ForeignText text={detail} />
          </div>
        )}
      </div>
    ),
  },
];
