import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** A folder for screenshots of every page; optional. */
const pictures = process.env.CONSOLE_PICTURES

/** A phone and a desk. Every page is tried in both. */
export const WIDTHS = [
  { width: 360, height: 740, colorScheme: 'dark' },
  { width: 1440, height: 900, colorScheme: 'light' },
] as const

/** Returns what is wrong with a whole page: that it is wider than the window, and what axe finds. Takes a picture of it, if wanted. */
export async function findPageFaults(page: Page, where: string, picture: string): Promise<string[]> {
  const width = page.viewportSize()?.width ?? 0
  const needed = Number(await page.evaluate('document.documentElement.scrollWidth'))
  const serious = await findSerious(page, where)
  if (pictures) await page.screenshot({ path: join(pictures, `${picture}-${width}.png`), fullPage: true })
  return needed > width ? [`${where}: needs ${needed} px`, ...serious] : serious
}

/** The same for what a page shows now, on a phone and on a desk, without loading it again. */
export async function findFaultsInBoth(page: Page, where: string): Promise<string[]> {
  const faults: string[] = []
  for (const { width, height, colorScheme } of WIDTHS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    faults.push(...(await findPageFaults(page, `${where}, ${width} px`, where.replaceAll(' ', '-'))))
  }
  return faults
}

/** Returns the serious faults that axe finds in the page, or in the part of it that matches the selector. */
export async function findSerious(page: Page, where: string, part = 'html'): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(`axe.run('${part}', { resultTypes: ['violations'] })`)) as axe.AxeResults
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0]?.html}`)
}
