import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What axe finds wrong with a page as it stands (WCAG 2.2 A and AA, and axe's best practices): rule, and where. What it
 * cannot tell, such as the contrast of text on a map, is not among it.
 */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target }) => `${id}: ${target.join(' ')}`));
  });
}
