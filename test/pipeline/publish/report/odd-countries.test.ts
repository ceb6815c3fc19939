import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { accessibilityFaults } from '../../../support/accessibility.ts';
import { buildHere } from '../../../support/built-tiny.ts';
import { needsChromium, openFile, skipWithoutChromium } from '../../../support/chromium.ts';
import { writeTiny } from '../../../support/tiny-country.ts';

const HOSTILE = `</script><script>document.title='broken'</script><b>"N'gla" & Söns`;
const UNTESTED = 'NG001002';
const report = (snapshot: string, name = 'index') => path.join(snapshot, `report/${name}.html`);

describe('the report in Chromium', () => {
  test.skipIf(skipWithoutChromium)(
    needsChromium('no name breaks out of the page, and a made-up country is marked as such'),
    async () => {
      const { directory } = writeTiny(({ files, model, sources }) => {
        const rename = (file: string, name: string, to: string) => {
          files[file] = String(files[file]).replace(`"name": "${name}"`, `"name": ${JSON.stringify(to)}`);
        };
        rename('lgas.geojson', 'Place 1', HOSTILE);
        rename('states.geojson', 'Abia', HOSTILE);
        model.states[0].state = HOSTILE;
        Object.assign(model, { country: 'synthetic', synthetic: true });
        for (const source of sources) source.title = HOSTILE;
      });
      const { page, pageErrors } = await openFile(report((await buildHere(directory)).snapshot));
      await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
      await page.selectOption('#state', 'AB');
      await page.selectOption('#lga', 'NG001001');
      expect(await page.textContent('#place h3')).toBe(HOSTILE);
      expect(await page.locator('#ranking th button').allTextContents()).toContain(HOSTILE);
      expect(await page.locator('.source h3').first().textContent()).toBe(HOSTILE);
      expect(await page.title()).toBe(`[made up] Malaria risk in Tiny country: ${HOSTILE}, ${HOSTILE}`);
      expect(await page.isVisible('.made-up')).toBe(true);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(pageErrors).toEqual([]);
      await page.close();
    },
  );

  test.skipIf(skipWithoutChromium)(
    needsChromium('with one round, no case records and a place without survey the page reports what is missing'),
    async () => {
      const { directory } = writeTiny(({ files, sources }) => {
        const rows = String(files['surveys.csv'])
          .split('\n')
          .filter((row) => !row.startsWith('2021') && !row.includes(UNTESTED));
        files['surveys.csv'] = rows.join('\n');
        const surveys = sources.find(({ id }) => id === 'surveys')!;
        surveys.rounds = surveys.rounds.slice(0, 1);
        surveys.files[0].rows = rows.length - 2;
        sources.splice(
          sources.findIndex(({ id }) => id === 'cases'),
          1,
        );
      });
      const { snapshot } = await buildHere(directory);
      const { page: annex, pageErrors: annexErrors } = await openFile(report(snapshot, 'annex'));
      await annex.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
      expect(await annex.textContent('#transmission')).toContain('no monthly case records, so no transmission model');
      expect(await annex.textContent('#season-checked')).toContain('its season has not been checked here');
      expect(await annex.locator('#survey-national svg[role=img]').count()).toBe(1);
      expect(annexErrors).toEqual([]);
      const { page, pageErrors } = await openFile(report(snapshot));
      await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
      await page.selectOption('#state', 'AB');
      expect(await page.getAttribute('#score', 'title')).toMatch(/^0\.\d{4}$/);
      for (const tab of ['when', 'who', 'good']) {
        await page.locator(`nav a[href="#${tab}"]`).click();
        const marks = page.locator('#ranking tbody tr').filter({ hasText: 'no child tested' });
        if (tab === 'who') expect(await marks.getByText('Place 2').count()).toBe(1);
        for (const text of ['NaN', 'undefined', 'Infinity', 'null'])
          expect([tab, await page.locator('main').innerText()]).not.toEqual([tab, expect.stringContaining(text)]);
      }
      await page.goto('about:blank');
      await page.goto(`file://${report(snapshot)}#where?c=NG001001`);
      const neighbour = page.locator('#place .near li').filter({ hasText: 'Place 2' });
      expect(await neighbour.textContent()).toContain('no child tested');
      await page.locator(`#lgas path[data-code=${UNTESTED}]`).hover();
      expect(await page.textContent('#tip')).toContain('no child tested');
      expect(pageErrors).toEqual([]);
      await page.close();
    },
  );
});
