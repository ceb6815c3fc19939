// Shows one part of the reference at a time, searches it, and writes the reader's values into the samples.
const parts = [...document.querySelectorAll('main > section')];
const list = document.getElementById('operations');
const base = document.getElementById('base');
const search = document.getElementById('search');
for (const control of document.querySelectorAll('#tools, .values')) control.hidden = false;

function showPart() {
  const shown = parts.find(({ id }) => id === location.hash.slice(1)) ?? list;
  for (const part of parts) part.hidden = part !== shown;
  scrollTo(0, 0);
  if (location.hash !== '') shown.focus({ preventScroll: true });
}
addEventListener('hashchange', showPart);
showPart();

const rows = [...list.querySelectorAll('tbody tr')].map((row) => {
  const part = document.getElementById(row.querySelector('a').hash.slice(1));
  const fields = part.querySelector('[data-part=Fields], [data-part=Columns]');
  return { row, text: `${row.textContent} ${fields?.textContent}`.toLowerCase() };
});
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/);
  for (const { row, text } of rows) row.hidden = !words.every((word) => text.includes(word));
  for (const table of list.querySelectorAll('nav .scroll'))
    table.hidden = table.previousElementSibling.hidden = !table.querySelector('tbody tr:not([hidden])');
  const count = rows.filter(({ row }) => !row.hidden).length;
  document.getElementById('count').textContent =
    search.value.trim() === '' ? '' : `${count} of ${rows.length} operations`;
  if (!list.hidden) return;
  history.pushState(null, '', '#operations');
  for (const part of parts) part.hidden = part !== list;
});

const exampleBase = base.value;
for (const part of parts.filter(({ dataset }) => dataset.path)) {
  const samples = [...part.querySelectorAll('.sample')].map((sample) => ({ sample, text: sample.textContent }));
  const example = exampleBase + part.dataset.address;
  const writeSamples = () => {
    const values = new Map([...part.querySelectorAll('.values input')].map(({ name, value }) => [name, value.trim()]));
    const address = part.dataset.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values.get(name)));
    const query = [...values].filter(([name, value]) => value !== '' && !part.dataset.path.includes(`{${name}}`));
    const start = URL.canParse(base.value) ? new URL(base.value).href.replace(/\/$/, '') : exampleBase;
    // A quotation mark would end the address in a sample.
    const url = `${start}${address}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`.replaceAll("'", '%27');
    for (const { sample, text } of samples) sample.textContent = text.replaceAll(example, () => url);
  };
  part.addEventListener('input', writeSamples);
  base.addEventListener('input', writeSamples);
  for (const { sample } of navigator.clipboard ? samples : []) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(sample.textContent);
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), 2000);
    });
    sample.after(button);
  }
}
