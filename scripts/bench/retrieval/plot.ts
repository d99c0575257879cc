import type { Curve, Point } from './precision-recall.ts';

const [PANEL_WIDTH, PANEL_HEIGHT] = [272, 250];
const [LEFT, TOP, SIDE] = [46, 34, 190];
const COLUMNS = 3;
const [HEADER, MARGIN] = [66, 14];

/** An SVG with a panel for each curve, readable on light and on dark pages. */
export function renderPlot(curves: readonly Curve[]): string {
  const columns = Math.min(COLUMNS, Math.max(1, curves.length));
  const width = Math.max(2 * PANEL_WIDTH, columns * PANEL_WIDTH) + 2 * MARGIN;
  const height = HEADER + Math.ceil(curves.length / columns) * PANEL_HEIGHT + MARGIN;
  const panels = curves.map((curve, at) => {
    const [x, y] = [MARGIN + (at % columns) * PANEL_WIDTH, HEADER + Math.floor(at / columns) * PANEL_HEIGHT];
    return `<g transform="translate(${x} ${y})">${renderPanel(curve)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">`,
    '<title id="title">Precision against recall of what engram surfaces</title>',
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    renderHeader(),
    ...panels,
    '</svg>',
    '',
  ].join('\n');
}

/** Colours of the page that shows it: `prefers-color-scheme` is asked inside an image too. */
const STYLE = `
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #24292f }
.page { fill: #ffffff }
.name { font-weight: 600; font-size: 13px }
.quiet { fill: #57606a; font-size: 11px }
.grid { stroke: #d0d7de; stroke-width: 1; fill: none }
.surface { stroke: #0b62c4; stroke-width: 2.2; fill: none }
.baseline { stroke: #bc4c00; stroke-width: 1.8; fill: none; stroke-dasharray: 5 3 }
.floor { fill: #0b62c4; stroke: #ffffff; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .page { fill: #0d1117 }
  .quiet { fill: #9198a1 }
  .grid { stroke: #30363d }
  .surface { stroke: #58a6ff }
  .baseline { stroke: #f0883e }
  .floor { fill: #58a6ff; stroke: #0d1117 }
}
`;

function renderHeader(): string {
  return [
    `<g transform="translate(${MARGIN + LEFT} 20)">`,
    '<text class="name">Precision against recall, by the floor of surface</text>',
    '<g transform="translate(0 22)">',
    '<path class="surface" d="M0 -4h28"/><text x="34">engram</text>',
    '<circle class="floor" cx="104" cy="-4" r="5"/><text x="115">at its floor</text>',
    '<path class="baseline" d="M204 -4h28"/><text x="238">BM25 (FTS5), same rules</text>',
    '</g></g>',
  ].join('');
}

function renderPanel({ name, queryCount, noMatchCount, surface, baseline, chosen }: Curve): string {
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const lines = ticks.map((tick) => `M${x(tick)} ${y(0)}V${y(1)}M${x(0)} ${y(tick)}H${x(1)}`).join('');
  const labels = ticks.map(
    (tick) =>
      `<text class="quiet" x="${x(tick)}" y="${y(0) + 14}" text-anchor="middle">${tick}</text>` +
      `<text class="quiet" x="${x(0) - 5}" y="${y(tick) + 4}" text-anchor="end">${tick}</text>`,
  );
  const middle = TOP + (y(0) - TOP) / 2;
  return [
    `<text class="name" x="${LEFT}" y="13">${escaped(name)}</text>`,
    `<text class="quiet" x="${LEFT}" y="27">${queryCount} with a right memory, ${noMatchCount} without</text>`,
    `<path class="grid" d="${lines}"/>`,
    ...labels,
    `<text class="quiet" x="${LEFT + SIDE / 2}" y="${y(0) + 28}" text-anchor="middle">recall</text>`,
    `<text class="quiet" transform="translate(11 ${middle}) rotate(-90)" text-anchor="middle">precision</text>`,
    `<path class="baseline" d="${path(baseline)}"/>`,
    `<path class="surface" d="${path(surface)}"/>`,
    Number.isNaN(chosen.precision)
      ? ''
      : `<circle class="floor" cx="${x(chosen.recall)}" cy="${y(chosen.precision)}" r="5"/>`,
  ].join('\n');
}

function x(recall: number): number {
  return round(LEFT + recall * SIDE);
}

function y(precision: number): number {
  return round(TOP + (1 - precision) * (PANEL_HEIGHT - TOP - 42));
}

function path(points: readonly Point[]): string {
  return points.map(({ recall, precision }, at) => `${at === 0 ? 'M' : 'L'}${x(recall)} ${y(precision)}`).join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
