/**
 * Which of the names lead back to themselves over others that hold for the same value (`allOf` of itself): no value could ever be
 * checked against such a schema.
 */
export function endlessNames(
  names: readonly string[],
  sameValue: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  return names.filter((name) => {
    const seen = new Set<string>();
    const open = [...(sameValue.get(name) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === name) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(sameValue.get(next) ?? []));
    }
    return false;
  });
}
