/**
 * Order of elimination with little fill for unknowns that lie in the plane: geometric nested dissection (George 1973,
 * SIAM J. Numer. Anal. 10:345). A set is halved along its longer side; those of the one half that touch the other
 * separate them and come last.
 * @param neighbours of each unknown, both ways
 * @param last unknowns that touch everything, kept for the end
 * @returns `order[k]` is the unknown eliminated k-th
 */
export function orderByDissection(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  neighbours: Iterable<number>[],
  last: number[],
): Int32Array {
  const SMALL = 12;
  const side = new Int32Array(x.length);
  const order: number[] = [];
  let label = 0;

  const dissect = (set: number[]) => {
    if (set.length <= SMALL) {
      order.push(...set);
      return;
    }
    const span = (v: ArrayLike<number>) =>
      set.reduce((high, i) => Math.max(high, v[i]!), Number.NEGATIVE_INFINITY) -
      set.reduce((low, i) => Math.min(low, v[i]!), Number.POSITIVE_INFINITY);
    const [along, across] = span(x) >= span(y) ? [x, y] : [y, x];
    const sorted = set.toSorted((a, b) => along[a]! - along[b]! || across[a]! - across[b]! || a - b);
    const half = sorted.length >> 1;
    const near = sorted.slice(0, half);
    const far = sorted.slice(half);
    const nearLabel = ++label;
    const farLabel = ++label;
    for (const i of near) side[i] = nearLabel;
    for (const i of far) side[i] = farLabel;
    const touches = (i: number, other: number) => {
      for (const j of neighbours[i]!) if (side[j] === other) return true;
      return false;
    };
    const nearEdge = new Set(near.filter((i) => touches(i, farLabel)));
    const farEdge = new Set(far.filter((i) => touches(i, nearLabel)));
    const separator = nearEdge.size <= farEdge.size ? nearEdge : farEdge;
    for (const i of separator) side[i] = 0;
    if (separator.size > 0.6 * set.length) {
      order.push(...set);
      return;
    }
    dissect(near.filter((i) => !separator.has(i)));
    dissect(far.filter((i) => !separator.has(i)));
    order.push(...sorted.filter((i) => separator.has(i)));
  };

  const global = new Set(last);
  dissect(Array.from({ length: x.length }, (_, i) => i).filter((i) => !global.has(i)));
  return Int32Array.from([...order, ...last]);
}
