import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { StatusBadge, type StatusTone } from "../../parts/status-badge.tsx";
import { useSession } from "../../session/context.ts";
import { whyAddress } from "../why/choice.ts";
import classes from "./access.module.css";
import {
  ANSWERS,
  type Answer,
  accessesOf,
  type Callable,
  type Filters,
  type SharedAccess,
  type Surroundings,
} from "./access.ts";
import { type CallerGroup, peopleOf } from "./callers.ts";

/** What scrolls is reached with the keyboard, too. */
const REACHED = { tabIndex: 0 } as const;
/** Callers beside each other. */
const COLUMNS = 5;

export interface AccessTableProps {
  readonly callables: readonly Callable[];
  readonly groups: readonly CallerGroup[];
  readonly answer: Filters["answer"];
  readonly around: Surroundings;
}

/** A row for each tool, a column for each caller, some callers at a time. It scrolls where it is too wide. */
export function AccessTable({ callables, groups, answer, around }: AccessTableProps) {
  const [from, setFrom] = useState(0);
  const start = from < groups.length ? from : 0;
  const shown = groups.slice(start, start + COLUMNS);
  return (
    <>
      {groups.length > COLUMNS && (
        <div className={classes.callers}>
          <span role="status">{`Callers ${start + 1}–${start + shown.length} of ${groups.length}`}</span>
          <Button.Group>
            <Button variant="default" size="xs" disabled={start === 0} onClick={() => setFrom(start - COLUMNS)}>
              Previous callers
            </Button>
            <Button
              variant="default"
              size="xs"
              disabled={start + COLUMNS >= groups.length}
              onClick={() => setFrom(start + COLUMNS)}
            >
              Next callers
            </Button>
          </Button.Group>
        </div>
      )}
      <section className={classes.scroller} aria-label="Who can call what" {...REACHED}>
        <table className={classes.table} aria-label="Who can call what">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              {shown.map((group) => (
                <th key={`${group.kind} ${group.id}`} scope="col">
                  <Head group={group} />
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
                {shown.map((group) => (
                  <Cell key={`${group.kind} ${group.id}`} {...{ group, callable, answer, around }} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Head({ group: { kind, id, name, callers } }: { readonly group: CallerGroup }) {
  if (kind === "api_client") {
    return (
      <Link href={`/api-clients/${encodeURIComponent(id)}`}>
        <ForeignText text={name} />
      </Link>
    );
  }
  return (
    <>
      <ForeignText text={name} />
      <div className={classes.people}>
        Agent for <ForeignText text={peopleOf(callers) ?? ""} />
      </div>
    </>
  );
}

interface CellProps {
  readonly group: CallerGroup;
  readonly callable: Callable;
  readonly answer: Filters["answer"];
  readonly around: Surroundings;
}

/** What has another answer than the one that is filtered for stays empty. People for whom an agent may do the same are one answer. */
function Cell({ group, callable, answer, around }: CellProps) {
  const all = accessesOf(group.callers, callable, around);
  const wanted = all.filter((access) => answer === "" || access.answer === answer);
  return (
    <td>
      {wanted.map((access) => (
        <div key={JSON.stringify([access.answer, access.reasons])} className={classes.access}>
          <StatusBadge tone={TONES[access.answer]}>{ANSWERS[access.answer]}</StatusBadge>
          {all.length > 1 && (
            <div className={classes.people}>
              for <ForeignText text={peopleOf(access.callers) ?? ""} />
            </div>
          )}
          {access.reasons.length > 0 && (
            <ul className={classes.reasons}>
              {access.reasons.map((reason) => (
                <li key={reason}>
                  <ForeignText text={reason} />
                </li>
              ))}
            </ul>
          )}
          <Why access={access} callable={callable} />
        </div>
      ))}
    </td>
  );
}

/** To the steps of the decision, for owners, where it is about one caller and one tool. */
function Why({ access, callable }: { readonly access: SharedAccess; readonly callable: Callable }) {
  const { isOwner } = useSession();
  const [caller, ...others] = access.callers;
  if (!isOwner || access.answer === "may" || callable.localName === undefined) return null;
  if (caller === undefined || others.length > 0) return null;
  const { id, name, person } = caller;
  const scopes = person === undefined ? undefined : caller.scopes.join(" ");
  return (
    <Link
      className={classes.why}
      href={whyAddress({ tool: callable.name, client: id, person: person?.id ?? "", scopes })}
      aria-label={`Why? ${visibleText(name)}, ${visibleText(callable.name)}`}
    >
      Why?
    </Link>
  );
}

const TONES: Readonly<Record<Answer, StatusTone>> = { may: "good", conditional: "accent", no: "neutral" };
