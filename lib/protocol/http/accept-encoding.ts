/**
 * Which of these codings a client takes, in their order (RFC 9110 §12.5.3). Weights but zero do not count: whoever offers the
 * codings knows best which is better.
 *
 * @param header value of `Accept-Encoding`
 */
export function acceptedEncodings<Coding extends string>(
  header: string | undefined,
  offered: readonly Coding[],
): readonly Coding[] {
  const weights = new Map((header ?? "").toLowerCase().split(",").map(weighted));
  return offered.filter((coding) => (weights.get(coding) ?? weights.get("*") ?? 0) > 0);
}

function weighted(part: string): readonly [string, number] {
  const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return [coding, weight === undefined ? 1 : Number(weight)];
}
