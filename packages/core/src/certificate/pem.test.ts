import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findOnlyPemBlock, findPemBlocks, formatPem } from './pem.ts'

const first = Buffer.from('first'.repeat(20))
const second = Buffer.from('second')

describe('findPemBlocks', () => {
  it('finds the blocks of one label between comments and other blocks', () => {
    const text = `# ours\n${formatPem('A', first)}${formatPem('B', second)}note\n${formatPem('A', second)}`
    assert.deepEqual(findPemBlocks(text, 'A'), [first, second])
    assert.deepEqual(findPemBlocks(text, 'C'), [])
  })

  it('finds nothing where one of the blocks is broken', () => {
    const good = formatPem('A', first)
    assert.equal(findPemBlocks(`${good}-----BEGIN A-----\n`, 'A'), undefined)
    assert.equal(findPemBlocks(good + good.replace('Z', '*'), 'A'), undefined)
  })
})

describe('findOnlyPemBlock', () => {
  it('reads what formatPem wrote, and only under the same label', () => {
    assert.deepEqual(findOnlyPemBlock(formatPem('A', first), 'A'), first)
    assert.equal(findOnlyPemBlock(formatPem('A', first), 'B'), undefined)
  })
})
