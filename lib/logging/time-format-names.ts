/**
 * What `logger.timeFormat` accepts: the layouts that the package `time` of Go names, and the epoch in whole units, as
 * collectors of logs read it.
 */
export const TIME_FORMATS = [
  "ANSIC",
  "UnixDate",
  "RubyDate",
  "RFC822",
  "RFC822Z",
  "RFC850",
  "RFC1123",
  "RFC1123Z",
  "RFC3339",
  "RFC3339Nano",
  "Kitchen",
  "Stamp",
  "StampMilli",
  "StampMicro",
  "StampNano",
  "DateTime",
  "DateOnly",
  "TimeOnly",
  "Layout",
  "Unix",
  "UnixMilli",
  "UnixMicro",
  "UnixNano",
] as const;

export type TimeFormat = (typeof TIME_FORMATS)[number];
