import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * The accessibility violations that axe finds on a page in its current state (WCAG 2.2 A and AA, and axe's best
 * practices): rule and element. Results that axe cannot decide, such as the contrast of text on a map, are left out.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target }) => `${id}: ${target.join(' ')}`));
  });
}
