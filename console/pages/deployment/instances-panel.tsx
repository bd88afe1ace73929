import type { Deployment } from "../../../lib/management/schemas/deployment.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";

type Instance = Deployment["instances"][number];

interface InstancesPanelProps {
  readonly instances: readonly Instance[];
  /** The latest publication; absent: there is none. */
  readonly latest: number | undefined;
}

/** Which instance uses which revision, since when, and why it uses no newer one. */
export function InstancesPanel({ instances, latest }: InstancesPanelProps) {
  if (instances.length === 0) return null;
  return (
    <Panel flush title="Instances" description={<Reach instances={instances} latest={latest} />}>
      <DataTable label="Instances" columns={COLUMNS} rows={instances} keyOf={({ id }) => id} />
    </Panel>
  );
}

/** As many as the management API lists. */
const MOST_LISTED = 200;

/** Whether the latest revision is in use everywhere, in words. */
function Reach({ instances, latest }: InstancesPanelProps) {
  const all = instances.length;
  const isCut = all >= MOST_LISTED;
  if (latest === undefined) return `${all === 1 ? "1 instance uses" : `${all} instances use`} what they started with.`;
  const using = instances.filter(({ revision }) => revision === latest);
  const since = using
    .map((one) => one.since)
    .sort()
    .at(-1);
  if (isCut)
    return `Of the ${all} instances that were seen last, ${using.length} have said so far that they use revision ${latest}.`;
  // They say it a little later than they use it.
  if (using.length < all || since === undefined)
    return `${using.length} of ${all} have said so far that they use revision ${latest}.`;
  return (
    <>
      {all === 1 ? "The one instance uses" : `All ${all} instances use`} revision {latest} since{" "}
      <Time value={since} format="full" />.
    </>
  );
}

const RUNTIMES = { node: "Node", workers: "Workers", lambda: "Lambda" } as const;

const COLUMNS: readonly Column<Instance>[] = [
  { id: "id", header: "Instance", isName: true, cell: ({ id }) => id },
  { id: "runtime", header: "Runtime", width: "7rem", cell: ({ runtime }) => RUNTIMES[runtime] },
  { id: "revision", header: "Revision", width: "7rem", cell: ({ revision }) => revision ?? "Of the start" },
  { id: "since", header: "Since", width: "8rem", cell: ({ since }) => <Time value={since} /> },
  { id: "seen", header: "Seen", width: "8rem", cell: ({ seenAt }) => <Time value={seenAt} /> },
  { id: "problem", header: "Problem", cell: ({ problem }) => problem && <ForeignText text={problem} /> },
];
