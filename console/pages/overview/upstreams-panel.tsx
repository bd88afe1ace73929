import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Period } from "../../../lib/management/schemas/overview.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { NumbersTable } from "./numbers-table.tsx";
import { clockOf, textsOf } from "./ranges.ts";
import classes from "./upstreams-panel.module.css";

type Upstream = Period["upstreams"][number];

/** Whether what is behind the apps answered, over time, as calls found it. */
export function UpstreamsPanel({ period }: { readonly period: Period }) {
  const [isTable, setIsTable] = useState(false);
  const { upstreams, range } = period;
  if (upstreams.length === 0) return null;
  const { words, interval } = textsOf(range);
  const clock = clockOf(range);
  return (
    <Panel
      title="Upstreams over time"
      description={`Whether they answered tool calls ${words}. Each block is ${interval}; one without calls is empty.`}
      actions={
        <>
          <Button variant="subtle" size="compact-xs" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
            {isTable ? "Show as chart" : "Show as table"}
          </Button>
          <Link href="/gateway#upstreams">Now</Link>
        </>
      }
    >
      <div className={classes.apps}>
        {upstreams.map((upstream) => (
          <figure key={upstream.app} className={classes.app}>
            <figcaption className={classes.caption}>
              <ForeignText text={upstream.app} />
              <span className={classes.share}>{shareOf(upstream)}</span>
            </figcaption>
            {!isTable && <Strip upstream={upstream} clock={clock} />}
            <NumbersTable
              isHidden={!isTable}
              caption={`${upstream.app} ${words}, each row is ${interval}`}
              columns={[
                { name: "Answered", values: upstream.intervals.map(({ answered }) => answered) },
                { name: "Failed", values: upstream.intervals.map(({ failed }) => failed) },
              ]}
              starts={upstream.intervals.map(({ start }) => Date.parse(start))}
              clockOf={clock}
            />
          </figure>
        ))}
      </div>
    </Panel>
  );
}

function shareOf({ answered, failed }: Upstream): string {
  const all = answered + failed;
  const share = (Math.floor((answered / all) * 1000) / 1000).toLocaleString(undefined, {
    ...{ style: "percent", maximumFractionDigits: 1 },
  });
  return failed === 0 ? `answered all ${all.toLocaleString()}` : `answered ${share} of ${all.toLocaleString()}`;
}

/** A block an interval: what was not answered is its upper part, so that the eye needs no colour to see it. */
function Strip({ upstream, clock }: { readonly upstream: Upstream; readonly clock: (start: string) => string }) {
  return (
    <div className={classes.strip} aria-hidden="true">
      {upstream.intervals.map(({ start, answered, failed }) => {
        const all = answered + failed;
        const height = all === 0 ? 0 : Math.max(failed === 0 ? 0 : 15, (failed / all) * 100);
        const title = `${clock(start)}: ${answered.toLocaleString()} answered, ${failed.toLocaleString()} failed`;
        return (
          <span key={start} className={classes.block} data-used={all > 0 || undefined} title={title}>
            <span className={classes.failed} style={{ height: `${height}%` }} />
          </span>
        );
      })}
    </div>
  );
}
