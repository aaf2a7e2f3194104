import { Group, Text, VisuallyHidden } from '@mantine/core'
import type { Minute } from './count-logins.ts'

const WIDTH = 600
const HEIGHT = 140
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

/** Logins per minute as stacked bars, with a table for screen readers. */
export function LoginChart({ minutes }: { readonly minutes: readonly Minute[] }) {
  const most = Math.max(4, ...minutes.map(({ accepted, refused }) => accepted + refused))
  const step = WIDTH / minutes.length
  const height = (count: number) => (count / most) * HEIGHT
  const isEmpty = minutes.every(({ accepted, refused }) => accepted + refused === 0)
  const marks = [minutes[0], minutes[Math.floor(minutes.length / 2)], minutes.at(-1)]
  return (
    <>
      <div aria-hidden>
        <Text size="xs" c="dimmed">
          {isEmpty ? `No logins in the last ${minutes.length} minutes.` : most}
        </Text>
        <svg
          className="chart"
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          width="100%"
          height={HEIGHT}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <line className="grid" x1={0} x2={WIDTH} y1={0} y2={0} />
          <line className="grid" x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
          {minutes.map(({ at, accepted, refused }, index) => (
            <g key={at} transform={`translate(${index * step + step * 0.15} 0)`}>
              <rect className="accepted" width={step * 0.7} y={HEIGHT - height(accepted)} height={height(accepted)} />
              <rect
                className="refused"
                width={step * 0.7}
                y={HEIGHT - height(accepted) - height(refused)}
                height={height(refused)}
              />
            </g>
          ))}
        </svg>
        <Group justify="space-between">
          {marks.map(
            (minute) =>
              minute && (
                <Text key={minute.at} size="xs" c="dimmed">
                  {CLOCK.format(minute.at)}
                </Text>
              ),
          )}
        </Group>
      </div>
      <VisuallyHidden>
        <table>
          <caption>Logins per minute</caption>
          <thead>
            <tr>
              <th>Minute</th>
              <th>Accepted</th>
              <th>Refused</th>
            </tr>
          </thead>
          <tbody>
            {minutes.map(({ at, accepted, refused }) => (
              <tr key={at}>
                <td>{CLOCK.format(at)}</td>
                <td>{accepted}</td>
                <td>{refused}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}
