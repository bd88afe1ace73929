import { StoreUnavailableError } from "../../../lib/stores/unavailable.ts";
import { resultCode } from "../sqlite/busy.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EEXIST: "there is a file of that name",
  ENOTDIR: "a part of the path is not a folder",
  ENAMETOOLONG: "a name in the path is too long",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "not permitted",
  ELOOP: "too many symbolic links",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
};

/** Why a file could not be read or written, for people. What did not come from the system says it in its own words. */
export function fileErrorReason(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const code = "code" in error ? String(error.code) : "unknown error";
  return REASONS[code] ?? ("syscall" in error ? code : error.message);
}

/** What the system or SQLite said about a file, in one line; undefined for any other error. */
export function systemReason(error: Error): string | undefined {
  if (error instanceof StoreUnavailableError) return `${error.message}.`;
  if (resultCode(error) !== undefined) return `The store cannot be used: ${error.message}.`;
  if (!("syscall" in error)) return undefined;
  const about = "path" in error ? `${error.path}: ` : "";
  return `${about}${fileErrorReason(error)}.`;
}

/** Whether the system said so, for example `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
