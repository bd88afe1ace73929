/** Takes note of how far a call is; `progress` grows with each report, in bytes of the answer. */
export type ReportProgress = (report: {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}) => void;

/** Bytes between two reports: an answer of ordinary size causes one. */
const STEP = 64 * 1024;

/** Reports the beginning of an answer; what it returns takes the bytes read so far and reports them now and then. */
export function reportReading({ headers, status }: Response, report: ReportProgress): (read: number) => void {
  const declared = Number(headers.get("content-length") ?? Number.NaN);
  // The declared length of a compressed answer is not that of what is read.
  const isPlain = !headers.has("content-encoding") && Number.isSafeInteger(declared);
  const total = isPlain ? { total: declared } : {};
  let reported = 0;
  report({ progress: 0, ...total, message: `The API answered with HTTP ${status}.` });
  return (read) => {
    if (read - reported < STEP) return;
    reported = read;
    report({ progress: read, ...total });
  };
}
