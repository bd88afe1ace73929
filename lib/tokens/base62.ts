const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** An unsigned number in base 62, most significant digit first, padded with `0` to `length` digits. */
export function base62(value: number, length: number): string {
  let digits = "";
  for (let rest = value; digits.length < length; rest = Math.floor(rest / 62)) digits = ALPHABET[rest % 62] + digits;
  return digits;
}
