const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  ENOTDIR: "a part of the path is not a folder",
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
