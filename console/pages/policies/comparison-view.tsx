import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { Time } from "../../parts/time.tsx";
import { type Names, namesWith, useNames } from "../../parts/use-names.ts";
import type { Change, ComparedRecord } from "../../policy-test/protocol.ts";
import { outcomeWords } from "../audit/event-types.ts";
import classes from "../configuration-trial/trial.module.css";
import own from "./policies.module.css";
import { VerdictView } from "./verdict-view.tsx";

export interface ComparisonViewProps {
  readonly compared: readonly ComparedRecord[];
  /** Which calls these are. */
  readonly about: string;
  /** There is no policy in use at the place. */
  readonly isNew: boolean;
}

/** How many calls change in which way, and those that do. */
export function ComparisonView({ compared, about, isNew }: ComparisonViewProps) {
  const of = (change: Change) => compared.filter((one) => one.change === change);
  const changed = compared.filter(({ change }) => change === "denied" || change === "allowed");
  return (
    <div className={classes.parts}>
      <div role="status" className={classes.parts}>
        <dl className={own.counts} aria-label="What changes">
          {COUNTS.map(({ change, words }) => (
            <div key={change} className={own.count} data-change={change}>
              <dt>{words}</dt>
              <dd>{of(change).length.toLocaleString("en")}</dd>
            </div>
          ))}
        </dl>
        <p className={classes.quiet}>{about}</p>
      </div>
      <Calls title="Calls that change" empty="No call changes." calls={changed} isNew={isNew} />
      <Calls title="Calls that cannot be told" empty={undefined} calls={of("unknown")} isNew={isNew}>
        <Reads calls={of("unknown")} />
      </Calls>
    </div>
  );
}

const COUNTS: readonly { readonly change: Change; readonly words: string }[] = [
  { change: "denied", words: "Would now be denied" },
  { change: "allowed", words: "Would now be allowed" },
  { change: "same", words: "The same" },
  { change: "unknown", words: "Cannot be told" },
];

/** Shown at first. */
const FEW = 20;

interface CallsProps {
  readonly title: string;
  /** Where there are none; undefined: nothing is said of that. */
  readonly empty: string | undefined;
  readonly calls: readonly ComparedRecord[];
  readonly isNew: boolean;
  readonly children?: ReactNode;
}

function Calls({ title, empty, calls, isNew, children }: CallsProps) {
  const names = useNames();
  const [areAll, setAll] = useState(false);
  if (calls.length === 0) return empty === undefined ? null : <p>{empty}</p>;
  return (
    <section className={classes.group} aria-label={title}>
      <h3 className={classes.heading}>{title}</h3>
      {children}
      <DataTable
        label={title}
        columns={columnsWith(names, isNew)}
        rows={areAll ? calls : calls.slice(0, FEW)}
        keyOf={({ record }) => record.id}
      />
      {!areAll && calls.length > FEW && (
        <div>
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            Show all {calls.length.toLocaleString("en")}
          </Button>
        </div>
      )}
    </section>
  );
}

/** What is read and in no record, most often first. */
function Reads({ calls }: Pick<CallsProps, "calls">) {
  const counts = new Map<string, number>();
  for (const { inUse, edited } of calls) {
    const reads = [inUse, edited].flatMap((verdict) => (verdict.outcome === "unknown" ? verdict.reads : []));
    for (const read of new Set(reads)) counts.set(read, (counts.get(read) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  return (
    <p>
      Records do not have what is read:{" "}
      {sorted.map(([read, count], index) => (
        <span key={read}>
          {index > 0 && ", "}
          <code>
            <ForeignText text={read} />
          </code>{" "}
          ({count.toLocaleString("en")})
        </span>
      ))}
      . Try these with a written input.
    </p>
  );
}

function columnsWith(names: Names, isNew: boolean): readonly Column<ComparedRecord>[] {
  return [
    {
      ...{ id: "call", header: "Recorded call", isName: true, width: "24%" },
      cell: ({ record }) => (
        <span className={classes.said}>
          <Link href={`/audit?record=${encodeURIComponent(record.id)}`}>
            <ForeignText text={record.tool ?? record.app ?? record.type} />
          </Link>
          <span className={classes.quiet}>
            <Time value={record.time} format="full" />
          </span>
        </span>
      ),
    },
    {
      id: "who",
      header: "Who",
      cell: ({ record: { agent, actor, user, names: kept } }) => {
        const who = agent ?? actor ?? user;
        const all = namesWith(names, kept);
        if (who === undefined) return "–";
        return (
          <span className={classes.said}>
            <Named id={who} names={all} />
            {user !== undefined && user !== who && (
              <span className={classes.quiet}>
                for <ForeignText text={all.get(user) ?? user} />
              </span>
            )}
          </span>
        );
      },
    },
    {
      id: "then",
      header: "At that time",
      cell: ({ record: { outcome, count } }) =>
        `${outcomeWords(outcome).label}${count === undefined ? "" : `, ${count.toLocaleString("en")} times`}`,
    },
    {
      id: "in-use",
      header: "In use",
      cell: ({ inUse }) => (isNew ? "No such policy" : <VerdictView verdict={inUse} />),
    },
    { id: "edited", header: "Edited", cell: ({ edited }) => <VerdictView verdict={edited} /> },
  ];
}
