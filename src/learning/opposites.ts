import { stem } from '../text/stem.ts';

/** A word that says one of two opposite things: `side` false is the plain one, true its opposite (SE-54). */
export interface PairedWord {
  readonly pair: string;
  readonly side: boolean;
}

/** The pair that a stem belongs to, or null. */
export function pairedWord(stemmed: string): PairedWord | null {
  return PAIRS.get(stemmed) ?? null;
}

const SIDES = `
  enable activate / disable deactivate
  add append / remove drop delete
  create / destroy
  allow permit accept / deny forbid prohibit disallow reject refuse
  before / after
  include / exclude omit
  increase raise / decrease reduce lower
  show / hide
  open / close
  start / stop
  lock / unlock
  install / uninstall
  upgrade / downgrade
  mount / unmount
  on / off
  true / false
  public / private
  sync synchronous synchronously / async asynchronous asynchronously
  parallel concurrently / sequential sequentially serially
  global globally / local locally
  required mandatory / optional
  maximum / minimum
  first / last
  keep / discard
  singular / plural
`;

const PAIRS: ReadonlyMap<string, PairedWord> = new Map(
  SIDES.trim()
    .split('\n')
    .flatMap((line) => {
      const pair = line.trim();
      return pair
        .split(' / ')
        .flatMap((words, at) => words.split(' ').map((word) => [stem(word), { pair, side: at === 1 }] as const));
    }),
);
