/** Values at paths, found by all that lie below them; by segments, so that `/pay` has nothing to do with `/payroll`. */
export interface PathTree<V> {
  /** The value at a path; the first that was put there stays. */
  readonly put: (path: string, value: V) => V;
  /** Values at the path and at those above it, from the root on. It takes time linear in the path. */
  readonly downTo: (path: string) => readonly V[];
}

interface Node<V> {
  readonly children: Map<string, Node<V>>;
  value?: V;
}

export function createPathTree<V>(): PathTree<V> {
  const root: Node<V> = { children: new Map() };
  return {
    put(path, value) {
      let node = root;
      for (const segment of segmentsOf(path)) {
        const child: Node<V> = node.children.get(segment) ?? { children: new Map() };
        node.children.set(segment, child);
        node = child;
      }
      node.value ??= value;
      return node.value;
    },
    downTo(path) {
      const values: V[] = [];
      const collect = ({ value }: Node<V>) => {
        if (value !== undefined) values.push(value);
      };
      let node = root;
      collect(node);
      for (const segment of segmentsOf(path)) {
        const child = node.children.get(segment);
        if (child === undefined) break;
        node = child;
        collect(node);
      }
      return values;
    },
  };
}

/** One at a time: most paths are longer than what is known of them. */
function* segmentsOf(path: string): Generator<string> {
  let start = 0;
  while (start < path.length) {
    const slash = path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    if (end > start) yield path.slice(start, end);
    start = end + 1;
  }
}
