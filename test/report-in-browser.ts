import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type * as schemas from '../pipeline/contract/schemas.ts';
import { needsChromium, openFile, skipWithoutChromium } from './chromium.ts';

/** What a reader does with the report of a country that has Kano: month, state, LGA, and every number as the JSON's. */
export function reportInBrowser(snapshotOf: () => string) {
  const json = <T>(name: string) => JSON.parse(readFileSync(path.join(snapshotOf(), name), 'utf8')) as T;
  const file = () => path.join(snapshotOf(), 'report/index.html');

  test.skipIf(skipWithoutChromium)(
    needsChromium('the report opens from disk and says what the JSON says'),
    async () => {
      const { page, troubles } = await openFile(file());
      await page.waitForSelector('html[data-ready=all]', { timeout: 20_000 });
      const { last_estimated } = json<schemas.Periods>('v1/periods.json');

      const period = `${last_estimated.slice(0, 4)}-09`;
      const slider = page.locator('#month');
      const latest = Number(await slider.inputValue());
      await slider.focus();
      for (let month = Number(last_estimated.slice(5)); month > 9; month--) await page.keyboard.press('ArrowLeft');
      expect(Number(await slider.inputValue())).toBe(latest - (Number(last_estimated.slice(5)) - 9));
      expect(await page.textContent('#month-name')).toBe(`September ${period.slice(0, 4)}`);

      await page.locator('#lgas path[data-code^=NG020]').first().click();
      expect(await page.textContent('#place h3')).toBe('Kano');
      const kano = json<schemas.RiskStates>(`v1/risk/states/${period}.json`).states.find((s) => s.state_code === 'KN')!;
      expect(await page.textContent('#score')).toBe(kano.score.toFixed(4));
      expect(await page.textContent('#range')).toContain(`${kano.score_low.toFixed(4)}–${kano.score_high.toFixed(4)}`);

      const { lgas } = json<schemas.RiskLgas>(`v1/risk/lgas/${period}/KN.json`);
      const shown = await page
        .locator('#ranking tbody tr')
        .evaluateAll((rows) =>
          rows.map((row) => [row.querySelector('th')!.textContent, row.querySelectorAll('td.number')[1]!.textContent]),
        );
      expect(shown).toEqual(lgas.map(({ lga, score }) => [lga, score.toFixed(4)]));

      await page.selectOption('#lga', lgas[1]!.lga_code);
      expect(await page.textContent('#score')).toBe(lgas[1]!.score.toFixed(4));

      await slider.focus();
      await page.keyboard.press('End');
      const { forecasts } = json<schemas.ForecastsLgas>('v1/forecasts/lgas/4/KN.json');
      const ahead = forecasts[3]!.lgas.find(({ lga_code }) => lga_code === lgas[1]!.lga_code)!;
      expect(await page.textContent('#kind')).toBe('forecast');
      expect(await page.textContent('#score')).toBe(ahead.score.toFixed(4));
      expect(await page.isVisible('#forecast-mark')).toBe(true);

      await page.locator('#home').click();
      await page.locator('input[value=change]').check({ force: true });
      const ramp = (await page.getAttribute('#legend .ramp', 'style'))!;
      expect(ramp.endsWith('rgb(127, 59, 8))'), `more is orange: ${ramp}`).toBe(true);
      expect(troubles).toEqual([]);
      await page.close();
    },
  );

  test.skipIf(skipWithoutChromium)(
    needsChromium("the transmission model's part shows R's range, months left out, every method, won and lost alike"),
    async () => {
      const { states, projection_test } = json<schemas.TransmissionModel>('v1/transmission/model.json');
      const { page } = await openFile(file());
      await page.waitForSelector('html[data-ready=all]', { timeout: 20_000 });
      expect(await page.textContent('#reproduction figcaption')).toContain('90% range');
      expect(await page.locator('#reproduction g[aria-label=area] path').count()).toBe(states.length);
      const dots = page.locator('#fits g[aria-label=dot] circle');
      expect(await dots.count()).toBe(states.reduce((sum, { series }) => sum + series.length, 0));
      const hollow = await dots.evaluateAll((all) => all.filter((dot) => /paper/.test(dot.getAttribute('fill') ?? '')));
      expect(hollow.length).toBeGreaterThan(0);
      expect(hollow.length).toBeLessThan((await dots.count()) / 10);
      expect(await page.textContent('#errors')).toContain('The model and Abeku');
      const text = (await page.textContent('#transmission'))!;
      expect(text).toContain(`A year ahead in the held-back year ${projection_test.held_back_year} its mean error was`);
      expect(text).toContain('Last year’s mean in every month');
      await page.close();
    },
  );

  test.skipIf(skipWithoutChromium)(needsChromium('the report fits a phone'), async () => {
    const { page, troubles } = await openFile(file(), { width: 360, height: 740 });
    await page.waitForSelector('html[data-ready=all]', { timeout: 20_000 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(troubles).toEqual([]);
    await page.close();
  });

  test('the report is one file of at most 5 MB that may fetch nothing', () => {
    expect(statSync(file()).size).toBeLessThan(5_000_000);
    const text = readFileSync(file(), 'utf8');
    expect(text.includes('content="default-src &#39;none&#39;; script-src &#39;sha256-')).toBe(true);
    expect(/<(script|link|img|iframe)[^>]+(src|href)=/.exec(text)).toBeNull();
  });
}
