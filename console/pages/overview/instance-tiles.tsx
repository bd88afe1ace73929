import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Overview } from "../../../lib/management/schemas/overview.ts";
import { StatusBadge } from "../../parts/status-badge.tsx";
import classes from "./instance-tiles.module.css";
import { textsOf } from "./ranges.ts";
import { total } from "./total.ts";

const STATES = {
  up: { tone: "good", word: "Up" },
  degraded: { tone: "warn", word: "Degraded" },
  down: { tone: "bad", word: "Down" },
} as const;

/** Health, sessions, and the sums of the time that is looked at. */
export function InstanceTiles({ overview: { health, sessions, period } }: { readonly overview: Overview }) {
  const succeeded = total(period.toolCalls, "succeeded");
  const denied = total(period.toolCalls, "denied");
  const failed = total(period.toolCalls, "failed");
  const issued = total(period.tokenRequests, "issued");
  const { words } = textsOf(period.range);
  const refused = total(period.tokenRequests, "refused");
  return (
    <dl className={classes.tiles}>
      <Tile term="Instance" note={<Components health={health} />}>
        <StatusBadge tone={STATES[health.status].tone}>{STATES[health.status].word}</StatusBadge>
      </Tile>
      <Tile
        term="Open sessions"
        note={
          <>
            <Link href="/gateway#sessions">of agents, at the gateway</Link>. Newer agents work without one.
          </>
        }
      >
        {`${count(sessions.count)}${sessions.more ? " or more" : ""}`}
      </Tile>
      <Tile term="Tool calls" note={`${count(denied)} denied, ${count(failed)} failed ${words}`}>
        {count(succeeded + denied + failed)}
      </Tile>
      <Tile term="Token requests" note={`${count(refused)} refused ${words}`}>
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
