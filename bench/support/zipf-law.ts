/**
 * Draws ranks, 0 the most frequent, by Zipf's law with exponent 1: rank r is drawn in proportion to 1 / (r + 1).
 * @param random numbers from 0 up to 1
 */
export function zipfRanks(population: number, count: number, random: () => number): Uint32Array {
  const upTo = new Float64Array(population);
  let sum = 0;
  for (let rank = 0; rank < population; rank++) {
    sum += 1 / (rank + 1);
    upTo[rank] = sum;
  }
  return Uint32Array.from({ length: count }, () => firstAbove(upTo, random() * sum));
}

/** Index of the first of ascending numbers that is above the value. */
function firstAbove(numbers: Float64Array, value: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
