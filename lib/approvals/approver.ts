import { compileApprover } from "../policy/cel/compile.ts";
import type { ApprovalRecord } from "../stores/approvals.ts";
import type { Role, SignInMethod } from "../stores/directory.ts";
import { type Identities, personId } from "../stores/identities.ts";

/** A person who is signed in to the Console, in one of their organizations. */
export interface Approver {
  /** `user_…` of the directory. */
  readonly id: string;
  readonly organizationId: string;
  readonly role: Role;
  /** How the session began, and when. */
  readonly method: SignInMethod;
  readonly signedInAt: number;
  readonly requestId?: string;
  readonly name?: string;
}

/** Who of the approvals' people somebody is. */
export interface ApproverRights {
  /** The agent acts for them. */
  isRequester(record: ApprovalRecord): boolean;
  /** They may decide, as far as it is a matter of who they are. */
  mayDecide(record: ApprovalRecord): boolean;
  /** They may know of it. */
  mayRead(record: ApprovalRecord): boolean;
}

/** What somebody may do with approvals. An expression that fails lets nobody. */
export async function approverRights(
  approver: Approver,
  { stores }: { readonly stores: { readonly identities: Pick<Identities, "listIdentities"> } },
): Promise<ApproverRights> {
  const { id, organizationId, role, method } = approver;
  const accounts = await stores.identities.listIdentities(id);
  const names = new Set([id, ...accounts.map(personId)]);
  const shown = accounts.map(({ issuer, subject }) => ({ issuer, subject }));
  const compiled = new Map<string, boolean>();
  const isNamed = (expression: string): boolean => {
    const known = compiled.get(expression);
    if (known !== undefined) return known;
    const input = { id, organizationId, role, method, accounts: shown };
    const is = compileApprover(expression)(input).outcome === "allowed";
    compiled.set(expression, is);
    return is;
  };
  const isRequester = ({ person, memberId }: ApprovalRecord): boolean =>
    memberId === id || (person !== undefined && names.has(person));
  const mayDecide = (record: ApprovalRecord): boolean => {
    const { by, separate } = record;
    if (by === "self") return isRequester(record);
    if (record.organizationId !== organizationId || (separate && isRequester(record))) return false;
    return by === "owners" ? role === "owner" : isNamed(by);
  };
  return {
    isRequester,
    mayDecide,
    mayRead: (record) =>
      isRequester(record) || mayDecide(record) || (record.organizationId === organizationId && role === "owner"),
  };
}
