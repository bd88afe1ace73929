import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Overview } from "../../../lib/management/schemas/overview.ts";
import { StatusBadge } from "../../parts/status-badge.tsx";
import classes from "./instance-tiles.module.css";
import { total } from "./total.ts";

const STATES = {
  up: { tone: "good", word: "Up" },
  degraded: { tone: "warn", word: "Degraded" },
  down: { tone: "bad", word: "Down" },
} as const;

/** Health, sessions, and the sums of the last hour. */
export function InstanceTiles({ overview: { health, sessions, period } }: { readonly overview: Overview }) {
  const succeeded = total(period.toolCalls, "succeeded");
  const failed = total(period.toolCalls, "failed") + total(period.toolCalls, "denied");
  const issued = total(period.tokenRequests, "issued");
  const refused = total(period.tokenRequests, "refused");
  return (
    <dl className={classes.tiles}>
      <Tile term="Instance" note={<Components health={health} />}>
        <StatusBadge tone={STATES[health.status].tone}>{STATES[health.status].word}</StatusBadge>
      </Tile>
      <Tile term="Active sessions" note={<Link href="/gateway#sessions">of agents, at the gateway</Link>}>
        {`${count(sessions.count)}${sessions.more ? " or more" : ""}`}
      </Tile>
      <Tile term="Tool calls" note={`${count(failed)} failed in the last hour`}>
        {count(succeeded + failed)}
      </Tile>
      <Tile term="Token requests" note={`${count(refused)} refused in the last hour`}>
        {count(issued + refused)}
      </Tile>
    </dl>
  );
}

function Tile({
  term,
  note,
  children,
}: {
  readonly term: string;
  readonly note: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className={classes.tile}>
      <dt className={classes.term}>{term}</dt>
      <dd className={classes.value}>{children}</dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}

function Components({ health }: Pick<Overview, "health">) {
  const named = (wanted: string) => health.components.filter(({ status }) => status === wanted).map(({ name }) => name);
  const [down, unserved] = [named("down"), named("not_served")];
  const parts = [
    ...(down.length > 0 ? [`does not answer: ${down.join(", ")}`] : []),
    ...(unserved.length > 0 ? [`not served: ${unserved.join(", ")}`] : []),
  ];
  return parts.length === 0 ? "everything it needs answers" : parts.join("; ");
}

function count(number: number): string {
  return number.toLocaleString();
}
