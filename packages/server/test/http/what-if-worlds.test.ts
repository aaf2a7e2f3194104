import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareWorlds } from './what-if-worlds.fixture.ts'

test('Z-23 what is predicted happens: a thousand changes, each before and after a login with the same claims', async (t) => {
  const found = await compareWorlds(t, { count: 1_000, seed: 34 })
  for (const [outcome, times] of Object.entries(found)) assert.ok(times >= 10, `${outcome}: ${JSON.stringify(found)}`)
})
