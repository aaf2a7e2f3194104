import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Returns the serious faults that axe finds in the page, or in the part of it that matches the selector. */
export async function findSerious(page: Page, where: string, part = 'html'): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(`axe.run('${part}', { resultTypes: ['violations'] })`)) as axe.AxeResults
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0]?.html}`)
}
