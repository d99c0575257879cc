/** Sums over rows that are added one by one: enough for their mean and their principal directions. */
export function createScatter(width: number) {
  const sum = new Float64Array(width);
  const products = new Float64Array(width * width);
  let count = 0;
  return {
    add(row: Float32Array): void {
      count++;
      for (let i = 0; i < width; i++) {
        const value = row[i] ?? 0;
        sum[i] = (sum[i] ?? 0) + value;
        const at = i * width;
        for (let j = 0; j < width; j++) products[at + j] = (products[at + j] ?? 0) + value * (row[j] ?? 0);
      }
    },
    mean: () => sum.map((value) => value / count),
    /** [width][width]. */
    covariance(): Float64Array {
      const mean = sum.map((value) => value / count);
      return products.map((value, at) => value / count - (mean[Math.floor(at / width)] ?? 0) * (mean[at % width] ?? 0));
    },
  };
}

/**
 * An orthonormal basis of the space of the `count` principal directions, by orthogonal iteration. The basis is turned by a
 * fixed random rotation: that leaves every angle as it is, and spreads the variance evenly over the values, so that four
 * bits a value keep more of it.
 *
 * @param covariance - [width][width]
 * @returns rows [count][width]
 */
export function principalDirections(covariance: Float64Array, width: number, count: number): Float64Array[] {
  const random = createRandom();
  // More directions than asked for, so that the last ones asked for settle as well.
  let rows = orthonormal(randomRows(count + EXTRA, width, random));
  for (let round = 0; round < ROUNDS; round++) rows = orthonormal(rows.map((row) => product(covariance, row)));
  const principal = sortedByVariance(covariance, rows).slice(0, count);
  const rotation = orthonormal(randomRows(count, count, random));
  return rotation.map((turn) => combination(turn, principal, width));
}

const EXTRA = 32;
const ROUNDS = 200;

/** Without rotating within the space the rows of the iteration are the directions themselves, the widest first. */
function sortedByVariance(covariance: Float64Array, rows: readonly Float64Array[]): Float64Array[] {
  const variance = (row: Float64Array) => dot(row, product(covariance, row));
  return rows
    .map((row) => ({ row, along: variance(row) }))
    .sort((a, b) => b.along - a.along)
    .map(({ row }) => row);
}

/** Gram-Schmidt, twice over for accuracy. */
function orthonormal(rows: readonly Float64Array[]): Float64Array[] {
  const done: Float64Array[] = [];
  for (const row of rows) {
    const rest = Float64Array.from(row);
    for (const each of [...done, ...done]) {
      const along = dot(rest, each);
      for (let k = 0; k < rest.length; k++) rest[k] = (rest[k] ?? 0) - along * (each[k] ?? 0);
    }
    const norm = Math.sqrt(dot(rest, rest));
    done.push(rest.map((value) => value / norm));
  }
  return done;
}

function product(matrix: Float64Array, row: Float64Array): Float64Array {
  return row.map((_, at) => dot(matrix.subarray(at * row.length, (at + 1) * row.length), row));
}

function combination(weights: Float64Array, rows: readonly Float64Array[], width: number): Float64Array {
  const result = new Float64Array(width);
  rows.forEach((row, each) => {
    for (let k = 0; k < width; k++) result[k] = (result[k] ?? 0) + (weights[each] ?? 0) * (row[k] ?? 0);
  });
  return result;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k] ?? 0) * (b[k] ?? 0);
  return sum;
}

function randomRows(count: number, width: number, random: () => number): Float64Array[] {
  return Array.from({ length: count }, () => Float64Array.from({ length: width }, random));
}

/** The same numbers every time, about normal around 0: a sum of four of a linear congruential generator. */
function createRandom(): () => number {
  let state = 20_260_101;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return () => uniform() + uniform() + uniform() + uniform();
}
