/**
 * How long a value that counts once stays used after its expiry, milliseconds. Whoever presents a value is judged by an
 * earlier reading of a clock, often another machine's, than the one that the store compares with: without the margin a
 * value could be unexpired for its presenter and forgotten by the store. No store removes an expired row earlier.
 */
export const EXPIRY_MARGIN = 5 * 60_000;
