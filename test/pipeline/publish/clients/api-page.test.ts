import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildOpenapi } from '../../../../pipeline/contract/openapi.ts';
import { describeApi } from '../../../../pipeline/contract/reference.ts';
import { renderApiPage } from '../../../../pipeline/publish/clients/api-page.ts';
import { TERRITORY } from '../../../../pipeline/synthetic/states.ts';
import { accessibilityFaults } from '../../../support/accessibility.ts';
import { needsChromium, openFile, skipWithoutChromium } from '../../../support/chromium.ts';
import { temporary } from '../../../support/command-line.ts';

/** A browser on a busy machine takes its time. */
const PATIENCE = { timeout: 20_000 };

test.skipIf(skipWithoutChromium)(
  needsChromium('the API reference is searched, shows one operation at a time, and makes requests to copy'),
  async () => {
    const file = path.join(temporary(), 'api.html');
    writeFileSync(file, renderApiPage(describeApi(buildOpenapi('tiny-1-00000000', TERRITORY), [])));
    const { page, pageErrors } = await openFile(file, {
      width: 412,
      height: 915,
    });
    const shown = () => page.locator('main > section:visible').evaluateAll((all) => all.map(({ id }) => id));
    await expect.poll(shown, PATIENCE).toEqual(['operations']);
    const limits = page.locator('#operations').getByText('60 requests in any minute');
    const address = page.getByText('The one that whoever runs the service gives you');
    for (const part of [page.locator('#search'), page.getByText('API access'), limits, address])
      expect((await part.boundingBox())!.y).toBeLessThan(915);
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.fill('#search', 'score_low nation');
    expect(await page.textContent('#count')).toMatch(/^\d of \d+ operations$/);
    await page.locator('a[href="#risk-nation"]').press('Enter');
    await expect.poll(shown, PATIENCE).toEqual(['risk-nation']);
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.fill('#base', 'https://api.example.org/');
    await page.fill('#risk-nation input', "2021-05'");
    for (const sample of await page.locator('#risk-nation .sample').allTextContents())
      expect(sample).toContain('https://api.example.org/v1/risk/nation?period=2021-05%27');
    expect(await page.locator('#risk-nation summary').allTextContents()).toEqual(
      expect.arrayContaining(['curl', 'Python', 'R']),
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^curl -H "Authorization: Bearer \$MALARIA_API_KEY" 'https:\/\/api/,
    );
    await page.fill('#search', 'zebra');
    await expect.poll(shown, PATIENCE).toEqual(['operations']);
    expect(await page.textContent('#count')).toMatch(/^0 of/);
    await page.goBack();
    await expect.poll(shown, PATIENCE).toEqual(['risk-nation']);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(412);
    expect(pageErrors).toEqual([]);
    await page.close();
  },
);
