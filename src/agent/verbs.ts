/** Whether `word` is a verb that developers command with, in its base form: `run`. Others may be verbs too. */
export function isCommandVerb(word: string): boolean {
  return VERBS.has(word.toLowerCase());
}

/**
 * Whether `word` can begin what is demanded behind always or never: a verb in its base form. A closed list of words that cannot
 * and the endings of other forms decide, so that rare verbs count too: `never monkeypatch ...`, but not `never returns`.
 */
export function mayBeBaseVerb(word: string): boolean {
  const lower = word.toLowerCase();
  if (VERBS.has(lower)) return true;
  if (!/^[a-z][a-z-]*$/.test(lower) || NO_BASE_VERBS.has(lower) || lower.length < 2) return false;
  return !/(?:ing|ed|[^su]s|ly|able|ible|ful|ous|ive|ness|tion|ment)$/.test(lower);
}

/**
 * The base form of a past participle or of a gerund that developers use: `used` to `use`, `written` to `write`, `adding` to
 * `add`; null where the word is none we know.
 */
export function baseForm(word: string): string | null {
  const lower = word.toLowerCase();
  const irregular = IRREGULAR.get(lower);
  if (irregular !== undefined) return irregular;
  const root = /^(.{2,})(?:ing|ed)$/.exec(lower)?.[1];
  if (root === undefined) return null;
  const forms = [root, `${root}e`, root.replace(/(.)\1$/, '$1'), root.replace(/i$/, 'y')];
  return forms.find((form) => VERBS.has(form) && (lower.endsWith('ing') || form !== `${root}y`)) ?? null;
}

/** `text` with its first word in the base form; a gerund that nobody knows loses its ending. Null: no such word. */
export function withBaseForm(text: string): string | null {
  const [, first = '', rest = ''] = /^(\S+)(.*)$/s.exec(text) ?? [];
  const base = baseForm(first) ?? (/^[a-z]{3,}ing$/i.test(first) ? first.slice(0, -3) : null);
  return base === null ? null : `${base}${rest}`;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

const VERBS =
  set(`abort accept access adapt add adhere adjust align allocate allow alphabetize annotate answer append apply archive
  ask assert assign assume attach audit avoid await backfill batch begin bind block branch break bring build bump bundle bypass
  cache call cancel capitalize capture carry cast catch change check choose chunk clean clear click clone close collect combine comment
  commit compare compile complete compute configure confirm connect consider construct consult contact contain continue convert copy count cover
  create cut debug declare decode default define delegate delete deliver denormalize deploy deprecate derive describe design destroy detect
  disable disclose discuss dismiss display do document double download draft drop duplicate edit embed emit empty enable encode encrypt end
  enforce ensure enter escape estimate exclude execute expect expire explain export expose extend extract fail fetch fill filter find finish fix flag
  flatten flush follow force forget fork format forward freeze generate get give go grant group guard guess handle hard-code hardcode hash hide
  hold honor honour ignore implement import include increment indent index infer inform inherit init inject inline insert inspect install introduce
  invalidate invent invoke isolate join keep kill label launch leave let limit link lint list load localize lock log look lower maintain make map mark
  match measure memoize mention merge migrate minify mix mock modify monitor mount move mutate name nest normalize note notify omit open optimize order
  organize override overwrite pack parse pass paste patch persist pick pin ping place poll populate post postpone prefer prefix prepare prepend
  preserve pretend prevent print prioritize process produce profile prompt propagate propose protect provide prune publish pull purge push put query queue
  quote raise read rebase rebuild receive recompile record recreate redact redo reduce refactor refer reference refresh refuse regenerate register reject
  release reload rely remember remind remove rename render reopen reorder repeat replace reply report request require reset resolve respect respond
  restart restore restrict retry return reuse revert review revisit rewrite roll rotate round route run sanitize save scaffold schedule scope scrub seed
  select send separate serialize serve set share ship show shorten silence simplify skip sleep snapshot sort specify split spread squash stage start
  state stay step stick stop store strip structure stub submit subscribe suggest summarize supply support suppress swallow switch sync tag take tell test
  throw touch trace track transform translate treat trigger trim trust try tune turn type uninstall unify unlock update upgrade upload use
  validate verify version wait walk warn watch wipe work wrap write yield mess shadow divide multiply subtract estimate alias mutate terminate escalate hallucinate exaggerate manipulate navigate isolate interpolate concatenate iterate orchestrate provision toggle paginate sanitise normalise organise optimise summarise prioritise serialise memorise analyse analyze approve decline advise argue produce reproduce reference rescue bundle juggle couple decouple handle toss spam chain abuse overuse refuse cause close leave leak guess invent squeeze force enforce introduce reduce announce replicate automate guarantee`);

/** What stands behind always and never without being commanded. */
const NO_BASE_VERBS =
  set(`mind welcome again ever once before after a an the this that these those it its my your our their his her i you we they
  he she to of in on at for from with without by about into and or but not no so as if than then when while where who what which how why same
  been had has did done was were is are am went gone came got gotten knew known saw seen heard thought said told made took taken gave given
  found felt left lost met paid sent sold spent stood understood won wrote written ran broke broken chose chosen began begun grew fell flew drew drove ate
  spoke spoken threw thrown wore worn woke became held kept led brought bought built caught taught meant had will would can could should may might must
  shall good great nice bad best better worst happy glad sad ready right wrong true false null undefined empty late early fun fine sure new old hard easy
  fast slow quick green red first last only just really quite very too more less most least one two three out up down off over back here there now
  really nothing something anything everyone someone always never able available possible safe clear open-ended worth`);

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `written write|wrote write|run run|ran run|put put|set set|read read|kept keep|left leave|made make|taken take|took take|given give|gave give|done do
  gone go|gotten get|got get|built build|sent send|thrown throw|threw throw|chosen choose|chose choose|broken break|broke break|split split|let let
  cut cut|caught catch|found find|told tell|begun begin|held hold|hidden hide|shown show|frozen freeze|forgotten forget|overwritten overwrite|rewritten rewrite|redone redo|rebuilt rebuild
  bound bind|hit hit|reset reset|sought seek|thought think|spoken speak|brought bring|stuck stick|been be|overridden override|dying die|being be
  using use|used use|tying tie|committed commit|submitted submit|waited wait`
    .split(/[|\n]/)
    .map((pair) => pair.trim().split(' '))
    .map(([form = '', base = '']) => [form, base]),
);
