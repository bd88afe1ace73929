import { userInfo } from "node:os";

/** Who works on the embedded store of this machine, for audit records: `operator:<login name>`. */
export function operatorId(): string {
  return `operator:${loginName()}`;
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without an entry in the user database.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
