/** One bar: a figure as a multiple of a floor that was measured in the same run. */
export interface Measurement {
  readonly what: string;
  readonly figure: number;
  readonly floorName: string;
  /** Null for an absolute bar: the figure itself is compared. */
  readonly floor: number | null;
  /** Median of the ratios of rounds, where figure and floor were measured in turns; else figure over floor. */
  readonly ratio?: number;
  readonly unit: 'ms' | 'MB' | '%' | 'watches';
  /** The most that is allowed: times the floor, or in `unit` where there is no floor. */
  readonly bar: number;
}

/** Prints the measurements, as a table for people or as JSON, and says clearly when a bar is missed. */
export function report(
  benchmark: string,
  measurements: readonly Measurement[],
  options: { readonly json: boolean },
): void {
  const judged = measurements.map(judge);
  if (options.json) {
    console.log(JSON.stringify({ benchmark, node: process.version, measurements: judged }, null, 1));
    return;
  }
  const rows = judged.map((one) => [
    one.what,
    `${shown(one.figure)} ${one.unit}`,
    one.floor === null ? '-' : `${shown(one.floor)} ${one.unit}`,
    one.floorName,
    one.floor === null ? '-' : `${one.ratio.toFixed(2)} x`,
    one.floor === null ? `${one.bar} ${one.unit}` : `${one.bar} x`,
    one.passed ? 'pass' : 'MISSED',
  ]);
  console.log(aligned([['what', 'figure', 'floor', '', 'ratio', 'bar', ''], ...rows]));
  const missed = judged.filter(({ passed }) => !passed);
  if (missed.length > 0) {
    console.log(`\n${missed.length} of ${judged.length} bars MISSED: ${missed.map(({ what }) => what).join('; ')}`);
  }
}

function judge(measurement: Measurement) {
  const { figure, floor, bar } = measurement;
  const ratio = measurement.ratio ?? (floor === null ? figure : figure / floor);
  return { ...measurement, ratio, passed: ratio <= bar };
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
