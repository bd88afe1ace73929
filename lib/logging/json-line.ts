import type { LineFormat } from "./entry.ts";

/** One JSON object a line. Fields stand beside `time`, `level`, `msg` and `soid`, which none of them can replace. */
export const jsonLine: LineFormat = ({ time, level, message, soid, fields }) => {
  const own = { time: new Date(time).toISOString(), level, msg: message, soid };
  return JSON.stringify({ ...own, ...fields, ...own });
};
