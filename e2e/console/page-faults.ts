import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** A folder for screenshots of every page; optional. */
const pictures = process.env.CONSOLE_PICTURES

/** A phone in dark colours and a desk in light ones. Every page is tried in both. */
export const WIDTHS = [
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 1440, height: 900, colorScheme: 'light' },
] as const

/** Resolves when the page is painted with its new size or colours. The browser asks for reduced motion, so that nothing moves on. */
const PAINTED = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** Parts of a page that scroll sideways. Code and typed text may. */
const SCROLLING = `[...document.querySelectorAll('#content *')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX))
  .filter((one) => !['PRE', 'CODE', 'TEXTAREA', 'INPUT'].includes(one.tagName))
  .map((one) => one.outerHTML.slice(0, 120))`

/**
 * Returns what is wrong with a whole page: that it is wider than the window, or a part of it scrolls sideways, and what axe finds. Takes a picture
 * of it, if wanted.
 */
export async function findPageFaults(page: Page, where: string, picture: string): Promise<string[]> {
  const width = page.viewportSize()?.width ?? 0
  const needed = Number(await page.evaluate('document.documentElement.scrollWidth'))
  const scrolling = (await page.evaluate(SCROLLING)) as string[]
  const faults = scrolling.map((part) => `${where}: scrolls sideways: ${part}`)
  if (needed > width) faults.push(`${where}: needs ${needed} px`)
  faults.push(...(await findSerious(page, where)))
  if (pictures) await page.screenshot({ path: join(pictures, `${picture}-${width}.png`), fullPage: true })
  return faults
}

/** The same for what a page shows now, on a phone and on a desk, without loading it again. */
export async function findFaultsInBoth(page: Page, where: string): Promise<string[]> {
  const faults: string[] = []
  for (const { width, height, colorScheme } of WIDTHS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    await page.evaluate(PAINTED)
    faults.push(...(await findPageFaults(page, `${where}, ${width} px`, where.replaceAll(' ', '-'))))
  }
  return faults
}

/** Returns the serious faults that axe finds in the page, or in the part that a selector names. */
export async function findSerious(page: Page, where: string, part = 'html'): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(`axe.run('${part}', { resultTypes: ['violations'] })`)) as axe.AxeResults
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0]?.html}`)
}
