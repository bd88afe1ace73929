import { type Document, isCollection, isPair, isScalar, type Node } from "yaml";

/**
 * Where brackets or quotes were opened whose end the parser missed at an offset: the innermost that it did not see closed.
 * @param missed how many ends it missed there
 */
export function openedAt(document: Document, offset: number, missed: number): number | undefined {
  const starts = endingAt(document, offset).toSorted((a, b) => b - a);
  return starts[Math.max(0, starts.length - missed)];
}

/** Where those begin that end at an offset; without recursion, as they can be nested as deep as the parser goes. */
function endingAt(document: Document, offset: number): readonly number[] {
  const starts: number[] = [];
  const waiting: unknown[] = [document.contents];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isPair(node)) waiting.push(node.key, node.value);
    else if (isCollection(node)) {
      waiting.push(...node.items);
      if (node.flow === true) addStart(node);
    } else if (isScalar(node) && node.type?.startsWith("QUOTE_")) addStart(node);
  }
  return starts;

  function addStart({ range }: Node): void {
    if (range?.[1] === offset) starts.push(range[0]);
  }
}
