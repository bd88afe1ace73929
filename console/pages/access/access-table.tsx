import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { StatusBadge, type StatusTone } from "../../parts/status-badge.tsx";
import classes from "./access.module.css";
import { ANSWERS, type Answer, accessOf, type Callable, type Filters, type Surroundings } from "./access.ts";

/** What scrolls is reached with the keyboard, too. */
const REACHED = { tabIndex: 0 } as const;
/** Callers beside each other. */
const COLUMNS = 5;

export interface AccessTableProps {
  readonly callables: readonly Callable[];
  readonly clients: readonly ApiClient[];
  readonly answer: Filters["answer"];
  readonly around: Surroundings;
}

/** A row for each tool, a column for each caller, some callers at a time. It scrolls where it is too wide. */
export function AccessTable({ callables, clients, answer, around }: AccessTableProps) {
  const [from, setFrom] = useState(0);
  const start = from < clients.length ? from : 0;
  const shown = clients.slice(start, start + COLUMNS);
  return (
    <>
      {clients.length > COLUMNS && (
        <div className={classes.callers}>
          <span role="status">{`API clients ${start + 1}–${start + shown.length} of ${clients.length}`}</span>
          <Button.Group>
            <Button variant="default" size="xs" disabled={start === 0} onClick={() => setFrom(start - COLUMNS)}>
              Previous clients
            </Button>
            <Button
              variant="default"
              size="xs"
              disabled={start + COLUMNS >= clients.length}
              onClick={() => setFrom(start + COLUMNS)}
            >
              Next clients
            </Button>
          </Button.Group>
        </div>
      )}
      <section className={classes.scroller} aria-label="Who can call what" {...REACHED}>
        <table className={classes.table} aria-label="Who can call what">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              {shown.map(({ clientId, name }) => (
                <th key={clientId} scope="col">
                  <Link href={`/api-clients/${encodeURIComponent(clientId)}`}>
                    <ForeignText text={name} />
                  </Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {callables.map((callable) => (
              <tr key={`${callable.app} ${callable.name}`}>
                <th scope="row">
                  <ForeignText text={callable.name} />
                </th>
                {shown.map((client) => (
                  <Cell key={client.clientId} {...{ client, callable, answer, around }} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

interface CellProps {
  readonly client: ApiClient;
  readonly callable: Callable;
  readonly answer: Filters["answer"];
  readonly around: Surroundings;
}

/** What has another answer than the one that is filtered for stays empty. */
function Cell({ client, callable, answer, around }: CellProps) {
  const access = accessOf(client, callable, around);
  if (answer !== "" && access.answer !== answer) return <td />;
  return (
    <td>
      <StatusBadge tone={TONES[access.answer]}>{ANSWERS[access.answer]}</StatusBadge>
      {access.reasons.length > 0 && (
        <ul className={classes.reasons}>
          {access.reasons.map((reason) => (
            <li key={reason}>
              <ForeignText text={reason} />
            </li>
          ))}
        </ul>
      )}
    </td>
  );
}

const TONES: Readonly<Record<Answer, StatusTone>> = { may: "good", conditional: "accent", no: "neutral" };
