import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { measureProcess } from '../../../src/events/metrics/metrics-server.ts'
import { buildApp } from '../../http/build-app.ts'
import { deliver, makeSink } from '../../http/event-sinks.fixture.ts'

const read = (name: string): string => readFileSync(new URL(`../../../../../deploy/${name}`, import.meta.url), 'utf8')

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string
      readonly expr: string
      readonly annotations: { readonly summary: string }
    }[]
  }[]
}
interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

/** The names of a histogram's series are those of the metric with a suffix. */
const metricsIn = (expression: string): string[] =>
  [...expression.matchAll(/\bcountersign_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))

function isBalanced(expression: string): boolean {
  let depth = 0
  for (const character of expression) {
    if ('([{'.includes(character)) depth++
    if (')]}'.includes(character)) depth--
    if (depth < 0) return false
  }
  return depth === 0
}

test('the dashboard and the alerts name metrics that exist', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  await makeSink(app, { name: 'audit', kind: 'file' })
  await deliver(app)
  const { registry } = app.controller.metrics
  measureProcess(registry)
  const known = new Set((await registry.getMetricsAsJSON()).map(({ name }) => name))
  const { groups }: Rules = parse(read('prometheus-rules.yaml'))
  const rules = groups.flatMap((group) => group.rules)
  const { panels }: Dashboard = JSON.parse(read('grafana-dashboard.json'))
  const expressions = [
    ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: title, expr }))),
  ]
  assert.ok(rules.length >= 10 && panels.length >= 12)
  for (const { where, expr } of expressions) {
    assert.ok(isBalanced(expr), `${where}: ${expr}`)
    for (const name of metricsIn(expr)) assert.ok(known.has(name), `${where}: ${name} does not exist`)
  }
  assert.ok(rules.every(({ annotations }) => annotations.summary.length > 10))
  assert.deepEqual([known.has('countersign_no_such_metric'), isBalanced('sum(a')], [false, false])
  const text = await registry.metrics()
  assert.match(text, /countersign_event_sink_behind\{sink="audit"\} 0/)
})
