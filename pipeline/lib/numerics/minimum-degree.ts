/**
 * Elimination order with little fill: always the unknown with the fewest neighbours, by approximate degrees on the
 * quotient graph (Amestoy, Davis & Duff 1996, SIAM J. Matrix Anal. Appl. 17:886). The neighbours of an eliminated
 * unknown become an `element`, which represents all pairs among its members; ties are resolved by index.
 * @param neighbours symmetric lists of each unknown's neighbours, with or without itself
 * @param lastUnknowns unknowns with nearly everything as neighbours, eliminated at the end
 * @returns `order[k]` is the unknown eliminated k-th
 */
export function minimumDegreeOrder(neighbours: Iterable<number>[], lastUnknowns: number[]): Int32Array {
  const n = neighbours.length;
  const isLive = new Uint8Array(n).fill(1);
  for (const i of lastUnknowns) isLive[i] = 0;
  const directNeighbours = neighbours.map((set, i) => [...set].filter((j) => j !== i && isLive[j]));
  const elements: number[][] = Array.from({ length: n }, () => []);
  const members: number[][] = Array.from({ length: n }, () => []);
  const isAbsorbed = new Uint8Array(n);
  const degree = Float64Array.from(directNeighbours, (list) => list.length);
  const markedBy = new Int32Array(n).fill(-1);
  const countedFor = new Int32Array(n).fill(-1);
  const membersOutside = new Int32Array(n);
  const order: number[] = [];

  for (let remaining = n - lastUnknowns.length; remaining > 0; remaining--) {
    let pivot = -1;
    for (let i = 0; i < n; i++) if (isLive[i] && (pivot === -1 || degree[i]! < degree[pivot]!)) pivot = i;
    isLive[pivot] = 0;
    order.push(pivot);

    const pivotNeighbours: number[] = [];
    const addPivotNeighbour = (i: number) => {
      if (isLive[i] && markedBy[i] !== pivot) {
        markedBy[i] = pivot;
        pivotNeighbours.push(i);
      }
    };
    directNeighbours[pivot]!.forEach(addPivotNeighbour);
    for (const e of elements[pivot]!) {
      members[e]!.forEach(addPivotNeighbour);
      isAbsorbed[e] = 1;
      members[e] = [];
    }
    members[pivot] = pivotNeighbours;

    // number of members of each neighbouring element outside the new one
    for (const i of pivotNeighbours) {
      elements[i] = elements[i]!.filter((e) => !isAbsorbed[e]);
      for (const e of elements[i]!) {
        if (countedFor[e] !== pivot) {
          countedFor[e] = pivot;
          membersOutside[e] = members[e]!.length;
        }
        membersOutside[e]!--;
      }
    }
    for (const i of pivotNeighbours) {
      elements[i] = elements[i]!.filter((e) => membersOutside[e]! > 0);
      directNeighbours[i] = directNeighbours[i]!.filter((j) => isLive[j] && markedBy[j] !== pivot);
      let approximateDegree = directNeighbours[i]!.length + pivotNeighbours.length - 1;
      for (const e of elements[i]!) approximateDegree += membersOutside[e]!;
      degree[i] = Math.min(approximateDegree, degree[i]! + pivotNeighbours.length - 1, remaining - 2);
      elements[i]!.push(pivot);
    }
  }
  return Int32Array.from([...order, ...lastUnknowns]);
}
