/** Takes note of how far a call is; `progress` grows with each report: bytes of the answer, or items of a stream. */
export type ReportProgress = (report: {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}) => void;

/** Bytes between two reports: an answer of ordinary size causes one. */
const STEP = 64 * 1024;

/** Reports the beginning of an answer; what it returns takes the bytes read so far and reports them now and then. */
export function reportReading(response: Response, report: ReportProgress): (read: number) => void {
  const declared = Number(response.headers.get("content-length") ?? Number.NaN);
  // The declared length of a compressed answer is not that of what is read.
  const isPlain = !response.headers.has("content-encoding") && Number.isSafeInteger(declared);
  const total = isPlain ? { total: declared } : {};
  let reported = 0;
  report({ progress: 0, ...total, message: begun(response) });
  return (read) => {
    if (read - reported < STEP) return;
    reported = read;
    report({ progress: read, ...total });
  };
}

/** As `reportReading`, for items. The more there are, the more of them go into a report: a long stream makes some hundred. */
export function reportItems(response: Response, report: ReportProgress): (count: number) => void {
  let reported = 0;
  report({ progress: 0, message: begun(response) });
  return (count) => {
    if (count <= reported * 1.1) return;
    reported = count;
    report({ progress: count });
  };
}

function begun({ status }: Response): string {
  return `The API answered with HTTP ${status}.`;
}
