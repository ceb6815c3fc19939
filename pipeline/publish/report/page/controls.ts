import { MIN_SIMILARITY, nameSimilarity, plainName } from '../../../lib/name-similarity.ts';
import { periodName } from '../shared/names.ts';
import { h } from './dom.ts';
import {
  areaCodes,
  areaName,
  areaSelection,
  data,
  elementById,
  fullName,
  hasArrived,
  isForecast,
  isState,
  onViewChange,
  setView,
  view,
} from './store.ts';
import { openTab } from './tabs.ts';

/** Starts the slider, lists and search, which make everything on the map reachable by keyboard too. */
export function startControls(): void {
  const month = elementById<HTMLInputElement>('month');
  const state = elementById<HTMLSelectElement>('state');
  const lga = elementById<HTMLSelectElement>('lga');
  const lastIndex = data.periods.length - 1;
  /** First and last month of the open question: some have answers for some months only, or have not arrived. */
  const monthRange = () => {
    const months = hasArrived('history') ? (openTab()?.months ?? []) : [data.estimated - 1];
    return [months[0] ?? 0, months.at(-1) ?? lastIndex] as const;
  };
  const goToMonth = (month: number) => setView({ month: Math.min(monthRange()[1], Math.max(monthRange()[0], month)) });
  month.addEventListener('input', () => goToMonth(Number(month.value)));
  elementById('earlier').addEventListener('click', () => goToMonth(view.month - 1));
  elementById('later').addEventListener('click', () => goToMonth(view.month + 1));
  elementById('home').addEventListener('click', () => setView({ state: null, lga: null }));
  state.addEventListener('change', () => setView({ state: state.value || null, lga: null }));
  lga.addEventListener('change', () => setView({ lga: lga.value || null }));
  state.append(
    optionElement('', `All ${data.words.state.many}`),
    ...data.states.map((row) => optionElement(row.state_code, row.state)),
  );
  startSearch();
  startCopyLink();

  for (const [i, period] of data.periods.entries())
    if (period.endsWith('-01'))
      elementById('years').append(h('span', { style: `left:${(100 * i) / lastIndex}%` }, period.slice(2, 4)));

  const { title } = document;
  let listedState: string | null | undefined;
  onViewChange(() => {
    const [firstMonth, lastMonth] = monthRange();
    elementById('time').hidden = openTab()?.months?.length === 0;
    // If the question has no answer for this month, go to the nearest month that has one.
    if (openTab() && (view.month < firstMonth || view.month > lastMonth)) return goToMonth(view.month);
    const name = periodName(data.periods[view.month]!);
    month.value = String(view.month);
    month.setAttribute('aria-valuetext', `${name}, ${isForecast(view.month) ? 'forecast' : 'estimated'}`);
    elementById('month-name').textContent = name;
    elementById('kind').textContent = isForecast(view.month) ? 'forecast' : 'estimated';
    elementById('kind').classList.toggle('forecast', isForecast(view.month));
    const isEndByButton = { earlier: view.month === firstMonth, later: view.month === lastMonth };
    for (const [id, isEnd] of Object.entries(isEndByButton)) {
      elementById<HTMLButtonElement>(id).disabled = isEnd;
      elementById(id).title = isEnd ? `The open question has no answer for ${id} months` : '';
    }
    if (listedState !== view.state) {
      const lgas = data.lgas.filter((row) => row.state_code === view.state).sort((a, b) => (a.lga < b.lga ? -1 : 1));
      lga.replaceChildren(
        optionElement('', view.state ? `All ${data.words.lga.many}` : `select the ${data.words.state.one} first`),
        ...lgas.map((row) => optionElement(row.lga_code, row.lga)),
      );
      lga.disabled = view.state === null;
      listedState = view.state;
    }
    document.title = `${title}${view.state === null ? '' : `: ${fullName(view.lga ?? view.state)}`}`;
    state.value = view.state ?? '';
    lga.value = view.lga ?? '';
  });
}

/** A name reduced for comparison with what is typed: no accents, punctuation, doubled letters or capitals. */
const simplifyName = (name: string) => plainName(name).replaceAll(/(.)\1/gu, '$1');

const initials = (name: string) => simplifyName(name.replaceAll(/(\p{L})\p{L}*/gu, '$1'));

/** How places are found by what is typed: by the first of these that fits any. */
const NAME_MATCHERS: readonly ((name: string, typed: string) => boolean)[] = [
  (name, typed) => simplifyName(name) === typed,
  (name, typed) => simplifyName(name).startsWith(typed),
  (name, typed) => typed.length > 1 && initials(name) === typed,
  (name, typed) => typed.length > 2 && simplifyName(name).includes(typed),
];
/** Name, name with the state's, and other names of each place. */
const namesByPlace = new Map(
  areaCodes.map((code, i) => [code, [areaName(code), fullName(code), ...data.aliases[i]!.split('; ').filter(Boolean)]]),
);
const findPlaces = (typed: string): string[] =>
  NAME_MATCHERS.map((matches) =>
    areaCodes.filter((code) => namesByPlace.get(code)!.some((name) => matches(name, typed))),
  ).find((places) => places.length > 0) ?? [];

/** The places whose names are alike to what is typed, the likest first. */
function findSimilarPlaces(typed: string): string[] {
  const ratedPlaces = areaCodes.map((code) => ({
    code,
    similarity: nameSimilarity(typed, simplifyName(areaName(code))),
  }));
  return ratedPlaces
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity)
    .map(({ code }) => code);
}

/** What is said if not one place is meant; places beyond the sixth are not listed. */
function describeMatches(matches: readonly string[], typed: string): string {
  const listInWords = (places: readonly string[]) =>
    places
      .slice(0, 6)
      .map((code) => `${fullName(code)} (${isState(code) ? data.words.state.one : code})`)
      .join('; ');
  if (matches.length > 0)
    return `${matches.length} places match: ${listInWords(matches)}${matches.length > 6 ? ' …' : ''}. Select one from the list or type its code`;
  const similarPlaces = findSimilarPlaces(simplifyName(typed));
  return `No place has the name or code ${typed}${similarPlaces.length === 0 ? '' : `. Did you mean ${listInWords(similarPlaces)}?`}`;
}

/**
 * Copies the address of what is shown; where a browser does not allow that, it is shown to be copied by hand. The
 * address of a page opened from disk is of no use to others: they need the file, and the part that names the view.
 */
function startCopyLink(): void {
  const button = elementById('copy-link');
  button.addEventListener('click', async () => {
    if (location.protocol === 'file:') {
      prompt(
        'Opened from a file, this page has no link for others. Send the file; they add to its address',
        location.hash,
      );
      return;
    }
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy link';
      }, 2000);
    } catch {
      prompt('The address of what is shown', location.href);
    }
  });
}

/** Search by name, a part of it, initials or code: the browser's list suggests places, Enter takes a unique match. */
function startSearch(): void {
  const search = elementById<HTMLInputElement>('search');
  const names = new Map(
    areaCodes.map((code) => [`${fullName(code)} · ${isState(code) ? `${data.words.state.one} ` : ''}${code}`, code]),
  );
  elementById('names').append(...[...names.keys()].map((name) => h('option', { value: name })));
  const select = (code: string) => {
    search.value = '';
    setView(areaSelection(code));
  };
  // A suggestion is taken at once, typed text on Enter.
  search.addEventListener('input', () => {
    search.setCustomValidity('');
    const code = names.get(search.value);
    if (code !== undefined) select(code);
  });
  search.addEventListener('keydown', (event) => {
    const typed = simplifyName(search.value);
    if (event.key !== 'Enter' || typed === '') return;
    const byCode = areaCodes.find((code) => code.toLowerCase() === search.value.trim().toLowerCase());
    if (byCode !== undefined) return select(byCode);
    const matches = findPlaces(typed);
    if (matches.length === 1) return select(matches[0]!);
    search.setCustomValidity(describeMatches(matches, search.value));
    search.reportValidity();
  });
}

const optionElement = (value: string, name: string) => h('option', { value }, name);
