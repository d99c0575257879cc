import { expect, test } from 'vitest';
import { fitKnots, isotonic } from '../../scripts/bench/calibrate/isotonic.ts';
import { developmentVerdicts, gateVerdicts } from '../../scripts/bench/retrieval/bars.ts';
import { withNeutralWords } from '../../scripts/bench/retrieval/neutral.ts';
import { renderPlot } from '../../scripts/bench/retrieval/plot.ts';
import { curvesOf } from '../../scripts/bench/retrieval/precision-recall.ts';
import { withFigures } from '../../scripts/bench/retrieval/render-page.ts';
import { reportOf } from '../../scripts/bench/retrieval/set-report.ts';
import { outcomeAbove } from '../../scripts/bench/retrieval/surface.ts';
import type { Arm, ArmTrial, SetTrials, Trial } from '../../scripts/bench/retrieval/trials.ts';

function trialOf(places: Partial<Record<Arm, number | null>>, relevance: number, isRight: boolean): Trial {
  const arm = (name: Arm): ArmTrial => ({
    firstRight: places[name] ?? null,
    recall5: 1,
    top: relevance,
    forbidden: null,
  });
  const contender = { passing: relevance, relevance, hasRareIdentifier: false, isRight };
  const surface = { contenders: [contender], isThin: false };
  return {
    text: 'a text',
    kind: '',
    arms: {
      fused: arm('fused'),
      words: arm('words'),
      meaning: arm('meaning'),
      fine: arm('fine'),
      baseline: arm('baseline'),
    },
    surfaceTop: relevance,
    surface,
    baselineSurface: surface,
    answers: { firstShown: 1, isSilent: false, surfaced: 'right', queryMs: 1, surfaceMs: 1, bytes: 100 },
  };
}

/** Twenty questions whose right memory is the first one of `fused` and at `baseline` of the baseline. */
function setOf(fused: number, baseline: number): SetTrials {
  const query = trialOf({ fused, words: 1, meaning: 1, fine: 1, baseline }, 0.9, true);
  return {
    name: 'skilltrig',
    queries: Array.from({ length: 20 }, () => query),
    noMatch: [trialOf({}, 0.3, false), trialOf({}, 0.6, false)],
    forbidden: [],
    wholeMs: [],
  };
}

test('SE-34: the tables never fall, rise by a hundredth at least and stay below 1', () => {
  const seen = (at: number, rights: number, all: number) =>
    Array.from({ length: all }, (_, i) => ({ at, isRight: i < rights, weight: 1 }));
  const knots = [0, 0.25, 0.5, 0.75, 1];
  const observations = [...seen(0.25, 6, 10), ...seen(0.5, 2, 10), ...seen(0.75, 10, 10)];
  // .6 and .2 are pooled to .4; what is certain is cut; 0 and 1 were not seen.
  expect(fitKnots(observations, knots)).toEqual([0, 0.39, 0.4, 0.98, 0.99]);
  // An observation between two knots counts for both, for the nearer one more: .8 of a right one beside one that is wrong.
  expect(fitKnots([...seen(0.3, 1, 1), ...seen(0.25, 0, 1)], [0, 0.25, 0.5, 1])[1]).toBe(0.44);
  expect(isotonic([0.1, 0.5, 0.3, 0.9], [1, 1, 3, 1])).toEqual([0.1, 0.35, 0.35, 0.9]);
});

test('SE-66: a set with many hits weighs no more than its weight says', () => {
  const of = (isRight: boolean, count: number) =>
    Array.from({ length: count }, () => ({ at: 0.5, isRight, weight: 1 / count }));
  expect(fitKnots([...of(true, 1000), ...of(false, 10)], [0, 0.5, 1])[1]).toBe(0.5);
});

test('SE-41: another floor lets other memories through, and a rare identifier lowers it', () => {
  const trial = { ...trialOf({}, 0.5, true).surface };
  expect(outcomeAbove(trial, { floor: 0.55, identifierFloor: 0.4 })).toBe('nothing');
  expect(outcomeAbove(trial, { floor: 0.5, identifierFloor: 0.4 })).toBe('right');
  const named = { ...trial, contenders: trial.contenders.map((one) => ({ ...one, hasRareIdentifier: true })) };
  expect(outcomeAbove(named, { floor: 0.55, identifierFloor: 0.4 })).toBe('right');
  const better = { passing: 0.8, relevance: 0.8, hasRareIdentifier: false, isRight: false };
  const both = { ...named, contenders: [...named.contenders, better] };
  expect(outcomeAbove(both, { floor: 0.55, identifierFloor: 0.4 })).toBe('wrong');
  expect(outcomeAbove({ ...named, isThin: true }, { floor: 0.1, identifierFloor: 0.1 })).toBe('nothing');
});

test('SE-69: sixty words are added, the text stays one piece, and the same text gets the same words', () => {
  for (const text of ['deploy the printer driver', 'Situation: it hangs.\nBehavior: I restart it.']) {
    const reworded = withNeutralWords(text);
    expect(reworded.split(/\s+/).length).toBe(text.split(/\s+/).length + 60);
    expect(reworded).toContain(text);
    expect(reworded).toBe(withNeutralWords(text));
  }
  expect(withNeutralWords('one')).not.toBe(withNeutralWords('two').replace('two', 'one'));
});

test('SE-68: a fused result behind the baseline misses the gate, one ahead of it passes', () => {
  const verdictsOn = (trials: SetTrials) => {
    const report = reportOf(trials);
    return gateVerdicts({ plain: [report], pooled: report, crowded: [], neutral: [] });
  };
  expect(verdictsOn(setOf(1, 6)).filter(({ passed }) => !passed)).toMatchObject([
    // All arms have the same scores here.
    { what: "pooled: AUROC, lower end, against the baseline's" },
  ]);
  const missed = verdictsOn(setOf(6, 1)).filter(({ passed }) => !passed);
  expect(missed.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      'skilltrig: MRR@10 over baseline, upper end',
      'skilltrig: hit@5 over baseline, upper end',
      'pooled: MRR@10 over baseline, lower end',
      'pooled: MRR@10 over words, upper end',
    ]),
  );
});

test('SE-68: the bars of a set are judged where it was measured, and no others', () => {
  const plain = [reportOf(setOf(1, 1))];
  const verdicts = developmentVerdicts({ plain, pooled: null, crowded: [], neutral: [] });
  expect(verdicts.map(({ what, passed }) => `${what} ${passed}`)).toEqual([
    'skilltrig: hit1 true',
    'skilltrig: hit5 true',
    'skilltrig: mrr10 true',
    'skilltrig: auroc true',
  ]);
});

test('precision against recall: falling floors give more answers; the plot has a panel for each set and for all', () => {
  const [curve] = curvesOf([setOf(1, 1)]);
  const at = (threshold: number) => curve?.surface.find((point) => Math.abs(point.threshold - threshold) < 1e-9);
  expect(at(0.95)).toBeUndefined();
  expect(at(0.8)?.recall).toBeCloseTo(1, 10);
  expect(at(0.8)?.precision).toBe(1);
  expect(at(0.2)?.precision).toBeCloseTo(20 / 22, 10);
  const curves = curvesOf([setOf(1, 1), { ...setOf(1, 1), name: 'a <set> & another' }]);
  const svg = renderPlot(curves);
  expect(svg.match(/class="surface" d="M[\d.]+ [\d.]+L/g)).toHaveLength(3);
  expect(svg).toContain('20 with a right memory, 2 without');
  expect(svg).toContain('a &#60;set&#62; &#38; another');
  expect(svg).toContain('prefers-color-scheme: dark');
  expect(svg).not.toMatch(/NaN|undefined/);
});

test('SE-65: a page gets figures with n and intervals in their place, and nothing else is changed', () => {
  const page = 'before\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nafter\n';
  const report = reportOf(setOf(1, 6));
  const renewed = withFigures(page, { plain: [report], pooled: null, crowded: [report], neutral: [] });
  expect(renewed).toMatch(/^before\n<!-- figures: begin -->\n\n### Order[\s\S]*\n\n<!-- figures: end -->\nafter\n$/);
  expect(renewed).not.toContain('old');
  expect(renewed).toContain('| skilltrig (20) | fused | 1.000 (.839-1.000) |');
  expect(renewed).toContain('| skilltrig (20) | baseline | .000 (.000-.161) |');
  expect(renewed).toMatch(/5,000 unrelated memories[\s\S]*\| skilltrig \(20\) \| 1.000 to 1.000/);
  expect(renewed).not.toContain('neutral words');
  expect(withFigures(renewed, { plain: [report], pooled: null, crowded: [report], neutral: [] })).toBe(renewed);
  expect(() => withFigures('no place', { plain: [report], pooled: null, crowded: [], neutral: [] })).toThrow(
    'no place',
  );
});
