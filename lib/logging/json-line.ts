import type { LineFormat } from "./entry.ts";

/** One JSON object a line: `time`, `level`, `msg` and `soid`, then the fields. */
export const jsonLine: LineFormat = ({ time, level, message, soid, fields }) =>
  JSON.stringify({ time, level, msg: message, soid, ...fields });
