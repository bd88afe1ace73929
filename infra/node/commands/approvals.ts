import {
  type ApprovalAdministrationPorts,
  approvalState,
  decideAsOperator,
  operatorApprovals,
} from "../../../lib/approvals/administration.ts";
import { representApproval } from "../../../lib/management/representations/approvals.ts";
import { APPROVAL_STATES, type ApprovalDecision, type ApprovalRecord } from "../../../lib/stores/approvals.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { administerExisting, required } from "./administer.ts";
import { STORE_FLAGS } from "./embedded-store.ts";
import { jsonLine, LISTING_FLAGS, listed } from "./listed.ts";

type Action = (args: readonly string[], io: CommandIo) => Promise<object | string>;

const ACTIONS: Readonly<Record<string, Action>> = {
  list,
  approve: (args, io) => decide("approved", args, io),
  refuse: (args, io) => decide("refused", args, io),
};

/**
 * `countersign approvals list|approve|refuse`: calls that wait for people, in the first organization of the embedded store of this
 * machine. Prints one JSON object.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const [name = "", ...rest] = args;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    throw new UsageError(`countersign approvals needs one of ${Object.keys(ACTIONS).join(", ")} first.`);
  }
  const done = await action(rest, io);
  io.stdout(typeof done === "string" ? done : jsonLine(done));
  return 0;
}

const COLUMNS = ["approvalId", "state", "by", "tool", "person", "requestedAt", "expiresAt"];

/** `[-state STATE]` */
async function list(args: readonly string[], io: CommandIo): Promise<string> {
  const flags = parseFlags(args, { ...STORE_FLAGS, ...LISTING_FLAGS, state: "string" });
  const { state: named = "pending" } = flags;
  const state = approvalState(named);
  if (state === undefined && named !== "all")
    throw new UsageError(`-state must be one of ${APPROVAL_STATES.join(", ")} or all.`);
  return administerExisting(flags, io, async (dependencies, { organizationId }) => {
    const items = (await every(dependencies, organizationId, state)).map(shown);
    return listed({ items }, items, COLUMNS, flags, io);
  });
}

/** `-approval ID -digest TEXT` */
async function decide(state: ApprovalDecision["state"], args: readonly string[], io: CommandIo): Promise<object> {
  const flags = parseFlags(args, { ...STORE_FLAGS, approval: "string", digest: "string" });
  const approvalId = required(flags.approval, "approval ID");
  const digest = required(flags.digest, "digest TEXT");
  return administerExisting(flags, io, async (dependencies, operator) =>
    shown(await decideAsOperator(dependencies, operator, approvalId, { state, digest })),
  );
}

async function every(
  ports: ApprovalAdministrationPorts,
  organizationId: string,
  state: ReturnType<typeof approvalState>,
): Promise<readonly ApprovalRecord[]> {
  const found: ApprovalRecord[] = [];
  let cursor: string | undefined;
  do {
    const request = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const page = await operatorApprovals(ports, organizationId, state, request);
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

const PAGE = 200;

function shown(approval: ApprovalRecord): object {
  return representApproval({ approval, mayDecide: approval.state === "pending" && approval.by === "owners" });
}
