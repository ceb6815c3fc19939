/**
 * Elimination order with little fill: always the unknown with the fewest neighbours, by approximate degrees on the
 * quotient graph (Amestoy, Davis & Duff 1996, SIAM J. Matrix Anal. Appl. 17:886). The neighbours of an eliminated
 * unknown become an `element`, which represents all pairs among its members; ties are resolved by index.
 * @param neighbours symmetric lists of each unknown's neighbours, with or without itself
 * @param last unknowns with nearly everything as neighbours, eliminated at the end
 * @returns `order[k]` is the unknown eliminated k-th
 */
export function orderByDegree(neighbours: Iterable<number>[], last: number[]): Int32Array {
  const n = neighbours.length;
  const live = new Uint8Array(n).fill(1);
  for (const i of last) live[i] = 0;
  const plain = neighbours.map((set, i) => [...set].filter((j) => j !== i && live[j]));
  const elements: number[][] = Array.from({ length: n }, () => []);
  const members: number[][] = Array.from({ length: n }, () => []);
  const absorbed = new Uint8Array(n);
  const degree = Float64Array.from(plain, (list) => list.length);
  const mark = new Int32Array(n).fill(-1);
  const seen = new Int32Array(n).fill(-1);
  const outside = new Int32Array(n);
  const order: number[] = [];

  for (let left = n - last.length; left > 0; left--) {
    let pivot = -1;
    for (let i = 0; i < n; i++) if (live[i] && (pivot === -1 || degree[i]! < degree[pivot]!)) pivot = i;
    live[pivot] = 0;
    order.push(pivot);

    const touched: number[] = [];
    const touch = (i: number) => {
      if (live[i] && mark[i] !== pivot) {
        mark[i] = pivot;
        touched.push(i);
      }
    };
    plain[pivot]!.forEach(touch);
    for (const e of elements[pivot]!) {
      members[e]!.forEach(touch);
      absorbed[e] = 1;
      members[e] = [];
    }
    members[pivot] = touched;

    // number of members of each neighbouring element outside the new one
    for (const i of touched) {
      elements[i] = elements[i]!.filter((e) => !absorbed[e]);
      for (const e of elements[i]!) {
        if (seen[e] !== pivot) {
          seen[e] = pivot;
          outside[e] = members[e]!.length;
        }
        outside[e]!--;
      }
    }
    for (const i of touched) {
      elements[i] = elements[i]!.filter((e) => outside[e]! > 0);
      plain[i] = plain[i]!.filter((j) => live[j] && mark[j] !== pivot);
      let approximate = plain[i]!.length + touched.length - 1;
      for (const e of elements[i]!) approximate += outside[e]!;
      degree[i] = Math.min(approximate, degree[i]! + touched.length - 1, left - 2);
      elements[i]!.push(pivot);
    }
  }
  return Int32Array.from([...order, ...last]);
}
