import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { addMonths } from '../../pipeline/contract/months.ts';
import type * as schemas from '../../pipeline/contract/schemas.ts';
import { accessibilityFaults } from './accessibility.ts';
import { needsChromium, openFile, skipWithoutChromium } from './chromium.ts';
import { needsFirefox, openInFirefox, skipWithoutFirefox } from './firefox.ts';

/** WebDriver's code point for the End key. */
const END = '\uE010';

/**
 * Tests of the report of a country that has Kano: a reader selects month, state and LGA; every number is the JSON's.
 */
export function reportInBrowser(snapshotOf: () => string) {
  const json = <T>(name: string) => JSON.parse(readFileSync(path.join(snapshotOf(), name), 'utf8')) as T;
  const file = () => path.join(snapshotOf(), 'report/index.html');
  const annex = () => path.join(snapshotOf(), 'report/annex.html');

  test.skipIf(skipWithoutChromium)(
    needsChromium('the report opens from disk and shows the figures of the JSON answers'),
    async () => {
      const { page, pageErrors } = await openFile(file());
      await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
      const { last_estimated } = json<schemas.Periods>('v1/periods.json');

      expect(await page.textContent('#age')).toMatch(/^The last estimated month, \w+ \d{4}, was \d+ months ago\./);
      const period = `${last_estimated.slice(0, 4)}-09`;
      const slider = page.locator('#month');
      const latest = Number(await slider.inputValue());
      await slider.focus();
      for (let month = Number(last_estimated.slice(5)); month > 9; month--) await page.keyboard.press('ArrowLeft');
      expect(Number(await slider.inputValue())).toBe(latest - (Number(last_estimated.slice(5)) - 9));
      expect(await page.textContent('#month-name')).toBe(`September ${period.slice(0, 4)}`);

      await page.locator('#lgas path[data-code^=NG020]').first().click();
      expect(await page.textContent('#place h3')).toBe('Kano');
      const kano = json<schemas.RiskStates>(`v1/risk/states/${period}.json`).states.find(
        (state) => state.state_code === 'KN',
      )!;
      expect(await page.textContent('#score')).toBe(kano.score.toFixed(2));
      expect(await page.getAttribute('#score', 'title')).toBe(kano.score.toFixed(4));
      expect(await page.textContent('#range')).toContain(`${kano.score_low.toFixed(2)}–${kano.score_high.toFixed(2)}`);

      const { lgas } = json<schemas.RiskLgas>(`v1/risk/lgas/${period}/KN.json`);
      await page.getByText(`Show all ${lgas.length}`).click();
      const shown = await page
        .locator('#ranking tbody tr')
        .evaluateAll((rows) =>
          rows.map((row) => [
            row.querySelector('th button')!.textContent,
            row.querySelectorAll('td.number')[1]!.textContent,
          ]),
        );
      expect(shown).toEqual(lgas.map(({ lga, score }) => [lga, score.toFixed(2)]));

      await page.selectOption('#lga', lgas[1]!.lga_code);
      expect(await page.getAttribute('#score', 'title')).toBe(lgas[1]!.score.toFixed(4));

      await slider.focus();
      await page.keyboard.press('End');
      const { forecasts } = json<schemas.ForecastsLgas>('v1/forecasts/lgas/4/KN.json');
      const ahead = forecasts[3]!.lgas.find(({ lga_code }) => lga_code === lgas[1]!.lga_code)!;
      expect(await page.textContent('#kind')).toBe('forecast');
      expect(await page.getAttribute('#score', 'title')).toBe(ahead.score.toFixed(4));
      expect(await page.isVisible('#forecast-mark')).toBe(true);

      expect(await accessibilityFaults(page)).toEqual([]);
      await page.locator('#home').click();
      await page.locator('nav a[href="#changed"]').click();
      const most = await page.locator('#legend .classes i').last().getAttribute('style');
      expect(most, 'a rise is orange').toContain('rgb(127, 59, 8)');
      expect(pageErrors).toEqual([]);
      await page.close();
    },
  );

  test.skipIf(skipWithoutChromium)(
    needsChromium('the part on the transmission model shows the range of R, the months left out and every method'),
    async () => {
      const { states, projection_test } = json<schemas.TransmissionModel>('v1/transmission/model.json');
      const { page } = await openFile(annex());
      await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
      expect(await page.textContent('#reproduction figcaption')).toContain('90% range');
      expect(await page.locator('#reproduction g[fill-opacity="0.2"] path').count()).toBe(states.length);
      const dots = page.locator('#fits circle');
      expect(await dots.count()).toBe(states.reduce((sum, { series }) => sum + series.length, 0));
      const hollow = await dots.evaluateAll((all) => all.filter((dot) => /paper/.test(dot.getAttribute('fill') ?? '')));
      expect(hollow.length).toBeGreaterThan(0);
      expect(hollow.length).toBeLessThan((await dots.count()) / 10);
      const text = (await page.textContent('#transmission'))!;
      expect(text).toContain(`A year ahead in the held-back year ${projection_test.held_back_year} its mean error was`);
      expect(text).toContain('Geometric mean of the model and Abeku’s adjustment');
      expect(text).toContain('Last year’s mean in every month');
      await page.close();
    },
  );

  test.skipIf(skipWithoutChromium)(
    needsChromium('a state, an LGA and a month can be selected by keyboard alone'),
    async () => {
      const { page } = await openFile(file());
      await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
      const { last_estimated } = json<schemas.Periods>('v1/periods.json');
      const { states } = json<schemas.RiskStates>(`v1/risk/states/${last_estimated}.json`);
      const { lgas } = json<schemas.RiskLgas>(`v1/risk/lgas/${last_estimated}/${states[0]!.state_code}.json`);
      const focused = (what: string) => page.evaluate(`document.activeElement.${what}`);
      const tabTo = async (text: string) => {
        for (let tabs = 0; tabs < 60; tabs++) {
          await page.keyboard.press('Tab');
          if ((await focused('textContent')) === text) return;
        }
        throw new Error(`found no element ${text} within 60 presses of Tab`);
      };
      await tabTo(states[0]!.state);
      await page.keyboard.press('Enter');
      expect(await focused('textContent'), 'focus moves to the selected place').toBe(states[0]!.state);
      expect(await focused('localName')).toBe('h3');
      await tabTo(lgas[1]!.lga);
      await page.keyboard.press('Enter');
      expect(await page.getAttribute('#score', 'title')).toBe(lgas[1]!.score.toFixed(4));
      expect(await page.textContent('#announcement'), 'the text for screen readers').toContain(
        `${lgas[1]!.lga}: ${lgas[1]!.score.toFixed(2)}`,
      );
      await page.close();
    },
  );

  test.skipIf(skipWithoutChromium)(needsChromium('a list is printed whole'), async () => {
    const { page } = await openFile(`${file()}#where?c=KN`);
    await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
    const rows = () => page.locator('#ranking tbody tr').count();
    const { last_estimated } = json<schemas.Periods>('v1/periods.json');
    const { lgas } = json<schemas.RiskLgas>(`v1/risk/lgas/${last_estimated}/KN.json`);
    expect(await rows()).toBeLessThan(lgas.length);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await rows()).toBe(lgas.length);
    const box = page.locator('#ranking .tall');
    expect(await box.evaluate((one) => one.scrollHeight - one.clientHeight), 'nothing is scrolled away').toBe(0);
    await page.close();
  });

  test.skipIf(skipWithoutChromium)(needsChromium('the tooltip follows the month'), async () => {
    const { page } = await openFile(file());
    await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
    const { last_estimated } = json<schemas.Periods>('v1/periods.json');
    const under = page.locator('#lgas path[data-code^=NG020]').first();
    await under.hover();
    await page.locator('#month').focus();
    await page.keyboard.press('ArrowLeft');
    const before = addMonths(last_estimated, -1);
    const { lgas } = json<schemas.RiskLgas>(`v1/risk/lgas/${before}/KN.json`);
    const code = await under.getAttribute('data-code');
    expect(await page.textContent('#tip')).toContain(lgas.find((row) => row.lga_code === code)!.score.toFixed(2));
    await page.close();
  });

  test.skipIf(skipWithoutChromium)(needsChromium('the plots of the annex are drawn, each under one name'), async () => {
    const { page, pageErrors } = await openFile(annex());
    await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
    expect(await page.locator('#season-states svg[role=img][aria-label]').count()).toBeGreaterThan(0);
    for (const id of ['survey-national', 'survey-scores', 'fits', 'reproduction', 'projections'])
      expect(await page.locator(`#${id} svg[role=img][aria-label]`).count(), id).toBeGreaterThan(0);
    const { validation } = json<{ validation: object | null }>('model-card.json');
    for (const id of ['calibration', 'coverage', 'pit'])
      expect(await page.locator(`#${id} svg[role=img][aria-label]`).count(), id).toBe(validation ? 1 : 0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto(`file://${path.join(snapshotOf(), 'report/api.html')}`);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  test.skipIf(skipWithoutChromium)(needsChromium('the report links to parts of the annex that exist'), async () => {
    const { page } = await openFile(file());
    const links = await page
      .locator('a[href^="annex.html"]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')!.replace('annex.html', '')));
    expect(links.length).toBeGreaterThan(3);
    const text = readFileSync(annex(), 'utf8');
    for (const link of links.filter(Boolean)) expect(text, link).toContain(`id="${link.slice(1)}"`);
    await page.close();
  });

  test.skipIf(skipWithoutChromium)(needsChromium('the report fits a phone screen'), async () => {
    const { page, pageErrors } = await openFile(file(), { width: 360, height: 740 });
    await page.waitForSelector('html[data-ready=all]', { timeout: 60_000 });
    for (const tab of ['where', 'sure', 'changed', 'when', 'who', 'good', 'sources']) {
      await page.locator(`nav a[href="#${tab}"]`).click();
      expect([tab, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([tab, 360]);
      expect(await accessibilityFaults(page)).toEqual([]);
    }
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  test.skipIf(skipWithoutFirefox)(
    needsFirefox('Firefox opens the report from disk too: map, slider, score'),
    async () => {
      const { evaluate, press, pageErrors } = await openInFirefox(file());
      const ready = 'document.documentElement.dataset.ready';
      await expect.poll(() => evaluate(ready), { timeout: 60_000 }).toBe('all');
      await evaluate(`(() => {
      const state = document.getElementById('state');
      state.value = 'KN';
      state.dispatchEvent(new Event('change'));
      document.getElementById('month').focus();
    })()`);
      await press(END);
      const { forecasts } = json<schemas.ForecastsStates>('v1/forecasts/states/4.json');
      const kano = forecasts[3]!.states.find(({ state_code }) => state_code === 'KN')!;
      expect(await evaluate("document.getElementById('score').title")).toBe(kano.score.toFixed(4));
      const { states } = json<schemas.ContextStates>('v1/context/states.json');
      const filled = `document.querySelectorAll('#lgas path:is([fill^="#"], [fill^="url(#hatch-"])').length`;
      expect(await evaluate(filled)).toBe(states.reduce((sum, { lgas }) => sum + lgas, 0));
      expect(await evaluate("document.getElementById('map').getBoundingClientRect().height > 200")).toBe(true);
      expect(pageErrors).toEqual([]);
    },
  );

  test.each([
    ['report', file],
    ['annex', annex],
  ])('the %s is a single file of at most 1.69 MB compressed whose policy allows no requests', (_, page) => {
    const text = readFileSync(page(), 'utf8');
    expect(gzipSync(text).length).toBeLessThan(1_690_000);
    expect(text.includes("content=\"default-src 'none'; script-src &#39;sha256-")).toBe(true);
    expect(/<(script|link|img|iframe)[^>]+(src|href)=/.exec(text)).toBeNull();
  });
}
