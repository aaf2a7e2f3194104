import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** A folder for screenshots of every page; optional. */
const pictures = process.env.CONSOLE_PICTURES

/** A phone and a desk. Every page is tried in both. */
export const WIDTHS = [
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 1440, height: 900, colorScheme: 'light' },
] as const
/** Each colour scheme, and the rules of axe whose results it can change: all of them once. */
const COLOR_SCHEMES = [
  { colorScheme: 'dark', rules: 'all' },
  { colorScheme: 'light', rules: ['color-contrast', 'link-in-text-block'] },
] as const

/** Resolves when no colour is on its way to another one: axe would measure what lies between. Placeholders never end. */
const COLOURS_CHANGED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().iterations !== Infinity)
    .map((one) => one.finished)))
  .then(() => true)`

/** Parts of a page that scroll sideways. Code and typed text may. */
const SCROLLING = `[...document.querySelectorAll('#content *')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX))
  .filter((one) => !['PRE', 'CODE', 'TEXTAREA', 'INPUT'].includes(one.tagName))
  .map((one) => one.outerHTML.slice(0, 120))`

/**
 * Returns what is wrong with a whole page: that it is wider than the window, or a part of it scrolls sideways, and what axe finds in light and
 * in dark colours. Takes pictures of it, if wanted.
 */
export async function findPageFaults(page: Page, where: string, picture: string): Promise<string[]> {
  const width = page.viewportSize()?.width ?? 0
  const needed = Number(await page.evaluate('document.documentElement.scrollWidth'))
  const scrolling = (await page.evaluate(SCROLLING)) as string[]
  const faults = scrolling.map((part) => `${where}: scrolls sideways: ${part}`)
  if (needed > width) faults.push(`${where}: needs ${needed} px`)
  for (const { colorScheme, rules } of COLOR_SCHEMES) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(COLOURS_CHANGED)
    faults.push(...(await findSerious(page, `${where}, ${colorScheme}`, { rules })))
    const path = `${picture}-${width}-${colorScheme}.png`
    if (pictures) await page.screenshot({ path: join(pictures, path), fullPage: true })
  }
  return faults
}

/** Resolves when the page is laid out for its new size. */
const LAID_OUT = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** The same for what a page shows now, on a phone and on a desk, without loading it again. */
export async function findFaultsInBoth(page: Page, where: string): Promise<string[]> {
  const faults: string[] = []
  for (const { width, height } of WIDTHS) {
    await page.setViewportSize({ width, height })
    await page.evaluate(LAID_OUT)
    // The menu moves out of the window of a phone.
    await page.evaluate(COLOURS_CHANGED)
    faults.push(...(await findPageFaults(page, `${where}, ${width} px`, where.replaceAll(' ', '-'))))
  }
  return faults
}

/** What of a page is looked at, and by which rules of axe. */
interface Look {
  /** A selector. */
  readonly part?: string
  readonly rules?: 'all' | readonly string[]
}

/** Returns the serious faults that axe finds in the page, or in a part of it. */
export async function findSerious(
  page: Page,
  where: string,
  { part = 'html', rules = 'all' }: Look = {},
): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source)
  const options: axe.RunOptions = {
    resultTypes: ['violations'],
    ...(rules !== 'all' && { runOnly: { type: 'rule', values: [...rules] } }),
  }
  const { violations } = (await page.evaluate(`axe.run('${part}', ${JSON.stringify(options)})`)) as axe.AxeResults
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => `${where}: ${id}: ${nodes[0]?.html}`)
}
