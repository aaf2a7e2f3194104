import { test } from 'node:test'

async function work(): Promise<void> {
  await Promise.resolve()
}
work()

export const anything = (value: any) => value
export enum Kind { One }
test.skip('skipped', () => {})
export const   badlyFormatted = "x";
